import { DAY_MILLISECONDS } from '../../../rules/time.ts'

export const requestLifetimeSeconds = 600
export const codeLifetimeSeconds = 60
export const pollIntervalSeconds = 5
export const accessLifetimeSeconds = 15 * 60
/** A retry of a refresh whose response was lost counts as the same refresh. */
export const refreshRetrySeconds = 30

const REFRESH_LIFETIME_DAYS = 30
const GRANT_LIFETIME_DAYS = 365

/** A refresh token lives 30 days, and never past a year from the consent. */
export function refreshEnd(now: number, grantCreatedAt: number): number {
  return Math.min(now + REFRESH_LIFETIME_DAYS * DAY_MILLISECONDS, grantEnd(grantCreatedAt))
}

/** A refresh does not extend this. */
export function grantEnd(grantCreatedAt: number): number {
  return grantCreatedAt + GRANT_LIFETIME_DAYS * DAY_MILLISECONDS
}

export function accessEnd(now: number, refreshExpiresAt: number): number {
  return Math.min(now + accessLifetimeSeconds * 1000, refreshExpiresAt)
}
