import { Refusal } from '../rules/refusal.ts'
import { MINUTE_MILLISECONDS } from '../rules/time.ts'
import type { SignedInCall } from './route.ts'

const FRESH_MILLISECONDS = 15 * MINUTE_MILLISECONDS

/**
 * Guards acts that can lock the owner out: a session that was left open or stolen is not enough, and a grant never is.
 */
export function requireFresh({ platform, caller: { credential } }: SignedInCall): void {
  if (credential.kind !== 'session') throw new Refusal('FORBIDDEN', 'Only your own browser session can do this.')
  if (platform.now() - credential.provenAt <= FRESH_MILLISECONDS) return
  throw new Refusal('SESSION_NOT_FRESH', 'Confirm that it is you, or sign in again, then try again.')
}
