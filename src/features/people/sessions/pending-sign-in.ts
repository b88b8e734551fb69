import type { Compilable } from 'kysely'
import type { PendingSignInTable } from '../../../database/schema/people/sessions.ts'
import { ownCookie } from '../../../http/answers/own-cookie.ts'
import type { Exchange } from '../../../http/exchange.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import type { Act } from '../../ground/acts/acts.ts'
import * as store from './store.ts'

const LIFETIME_SECONDS = 600
const COOKIE = ownCookie('two_factor')

export type PendingSignIn = PendingSignInTable

/** The proof from a second step: changes a row, and returns it, only if the proof is right and was not used before. */
export type Proof = Compilable<unknown>

/** For the decision about the first step; returns the token for a cookie that lasts ten minutes. */
export function newPendingSignIn(
  act: Act,
  { meta, now }: Platform,
  about: Pick<PendingSignIn, 'user_id' | 'first_step' | 'cookie_life' | 'return_address'>,
): string {
  const token = newToken('second step')
  const times = { created_at: now(), expires_at: now() + LIFETIME_SECONDS * 1000 }
  act.write(store.insertPendingSignIn(meta, { ...about, token_hash: tokenHash(token), ...times }))
  return token
}

export function keepPendingSignIn({ config }: Platform, exchange: Exchange, token: string): void {
  COOKIE.set(exchange, config, token, LIFETIME_SECONDS)
}

/** The sign-in that this browser has begun. */
export async function findPendingSignIn(call: Call): Promise<PendingSignIn | undefined> {
  if (!hasPendingCookie(call)) return undefined
  return pendingHere(call).selectAll().executeTakeFirst()
}

/** The same as a query. For a decision, it locks the user first, as everything does that ends a sign-in. */
export function pendingHere({ platform, exchange }: Call) {
  const { config, meta, now } = platform
  return store.activePending(meta.primary, tokenHash(COOKIE.of(exchange, config) ?? ''), now())
}

export function hasPendingCookie({ platform, exchange }: Call): boolean {
  return COOKIE.of(exchange, platform.config) !== undefined
}

/** Abandons the pending sign-in. */
export async function dropPendingSignIn({ platform, exchange }: Call): Promise<void> {
  const token = COOKIE.of(exchange, platform.config)
  if (token === undefined) return
  await store.deletePending(platform.meta, tokenHash(token)).execute()
  COOKIE.clear(exchange, platform.config)
}

/** For the decision that completes it. */
export function endPendingSignIn(act: Act, { meta }: Platform, { token_hash }: PendingSignIn): void {
  act.write(store.deletePending(meta, token_hash))
}

export function clearPendingCookie({ platform, exchange }: Call): void {
  COOKIE.clear(exchange, platform.config)
}

export function noPendingSignIn(): Refusal {
  return new Refusal('INVALID_TWO_FACTOR_COOKIE', 'This sign-in has expired or was begun elsewhere. Start again.')
}

export function suspended(): Refusal {
  return new Refusal('ACCOUNT_SUSPENDED', 'This account is suspended. Write to the support address.')
}
