import type { Compilable } from 'kysely'
import type { PendingSignInTable } from '../../../database/schema/people/sessions.ts'
import { ownCookie } from '../../../http/answers/own-cookie.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { tokenHash } from '../../../rules/tokens.ts'
import type { Act } from '../../ground/acts/acts.ts'
import { pendingSignIn } from './statements.ts'
import * as store from './store.ts'

export const PENDING_SECONDS = 600
export const PENDING_COOKIE = ownCookie('two_factor')

export type PendingSignIn = PendingSignInTable

/** Returns a row only if what was shown is right; one that works once is used up with it. */
export type Proof = Compilable<unknown>

/** The sign-in that this browser has begun. */
export async function findPendingSignIn(call: Call): Promise<PendingSignIn | undefined> {
  if (!hasPendingCookie(call)) return undefined
  const { meta, now } = call.platform
  const [pending] = await meta.primary.run(pendingSignIn(meta, pendingHashOf(call), now()))
  return pending
}

export function pendingHashOf({ platform, exchange }: Call): string {
  return tokenHash(PENDING_COOKIE.of(exchange, platform.config) ?? '')
}

export function hasPendingCookie({ platform, exchange }: Call): boolean {
  return PENDING_COOKIE.of(exchange, platform.config) !== undefined
}

/** Abandons the pending sign-in. */
export async function dropPendingSignIn({ platform, exchange }: Call): Promise<void> {
  const token = PENDING_COOKIE.of(exchange, platform.config)
  if (token === undefined) return
  await platform.meta.run(store.deletePending(platform.meta, tokenHash(token)))
  PENDING_COOKIE.clear(exchange, platform.config)
}

export function endPendingSignIn(act: Act, { meta }: Platform, { token_hash }: PendingSignIn): void {
  act.write(store.deletePending(meta, token_hash))
}

export function clearPendingCookie({ platform, exchange }: Call): void {
  PENDING_COOKIE.clear(exchange, platform.config)
}

export function noPendingSignIn(): Refusal {
  return new Refusal('INVALID_TWO_FACTOR_COOKIE', 'This sign-in has expired or was begun elsewhere. Start again.')
}
