import type { Compilable, Expression } from 'kysely'
import { batchBehind, type Guard } from '../../../database/guard.ts'
import type { PendingSignInTable } from '../../../database/schema/people/sessions.ts'
import { ownCookie } from '../../../http/answers/own-cookie.ts'
import type { Exchange } from '../../../http/exchange.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { auditEntryIf } from '../../audit/audit.ts'
import { lockUser, unsuspended, userOnly } from '../../users/statements.ts'
import { endFormerSession, giveSession, type NewSession, newSession } from '../sessions.ts'
import { sessionOf } from '../store.ts'
import * as store from './store.ts'
import { trustThisDevice } from './trusted-devices.ts'

const LIFETIME_SECONDS = 600
const COOKIE = ownCookie('two_factor')

export type PendingSignIn = PendingSignInTable

/**
 * The proof from a second step. `spend` changes a row only if the proof is right and the condition holds; after
 * that, `isRight` is true once.
 */
export interface Proof {
  spend(onlyIf: Expression<unknown>): Compilable<unknown>
  readonly isRight: Expression<unknown>
}

/** For a cookie that lasts ten minutes. The statement belongs in a batch that begins with `lockUser`. */
export function newPendingSignIn(
  { meta, now }: Platform,
  about: Pick<PendingSignIn, 'user_id' | 'first_step' | 'cookie_life' | 'return_address'>,
  isStill: Expression<unknown>,
) {
  const token = newToken('second step')
  const row = {
    ...about,
    token_hash: tokenHash(token),
    created_at: now(),
    expires_at: now() + LIFETIME_SECONDS * 1000,
  }
  return { token, statement: store.insertPendingSignIn(meta, row, isStill) }
}

export function keepPendingSignIn({ config }: Platform, exchange: Exchange, token: string): void {
  COOKIE.set(exchange, config, token, LIFETIME_SECONDS)
}

/** The sign-in that this browser has begun. */
export async function findPendingSignIn({ platform, exchange }: Call): Promise<PendingSignIn | undefined> {
  const token = COOKIE.of(exchange, platform.config)
  if (token === undefined) return undefined
  return store.pendingByToken(platform.meta, tokenHash(token), platform.now())
}

export async function getPendingSignIn(call: Call): Promise<PendingSignIn> {
  const pending = await findPendingSignIn(call)
  if (pending) return pending
  throw new Refusal(
    'INVALID_TWO_FACTOR_COOKIE',
    'This sign-in has expired or was begun elsewhere. Start again.',
  )
}

/** For a user who starts over. */
export async function dropPendingSignIn({ platform, exchange }: Call): Promise<void> {
  const token = COOKIE.of(exchange, platform.config)
  if (token === undefined) return
  await store.deletePending(platform.meta, tokenHash(token)).execute()
  COOKIE.clear(exchange, platform.config)
}

interface Completion {
  readonly by: 'totp' | 'backup_code' | 'passkey'
  readonly trustDevice: boolean
  /** For the same commit; the condition holds if the session was opened. */
  readonly alongsideIf: (isOpen: Expression<unknown>) => Promise<readonly Compilable<unknown>[]>
  readonly guard: Guard
}

/**
 * Completes a two-step sign-in. Undefined if the proof was wrong, or something ended the sign-in in the
 * meantime.
 */
export async function completeSignIn(
  call: Call,
  pending: PendingSignIn,
  { spend, isRight }: Proof,
  { by, trustDevice, alongsideIf, guard }: Completion,
): Promise<NewSession | undefined> {
  const { platform, exchange, client } = call
  const { meta } = platform
  const userId = pending.user_id
  const isBegun = store.activePending(meta, pending.token_hash, platform.now()).select('user_id')
  const isComplete = unsuspended(meta, userId)
    .where(({ exists }) => exists(isBegun))
    .where(({ exists }) => exists(isRight))
  // A code is not used up by a sign-in that has ended. A suspended user's is, which lets the refusal mention
  // the suspension.
  const maySpend = userOnly(meta, userId).where(({ or, exists, eb }) =>
    or([exists(isBegun), eb('user.suspended_at', 'is not', null)]),
  )
  const session = newSession(platform, exchange, userId, isComplete)
  const isOpen = sessionOf(meta, userId, session.id)
  const trust = trustThisDevice(call, userId, isOpen)
  const details = { provider: pending.first_step, second_step: by }
  const actor = { id: userId, address: client.address }
  // Suspensions and changes of factors wait for the lock. A user who starts over meanwhile has used up the code.
  const rows = await batchBehind(meta, guard, [
    lockUser(meta, userId),
    spend(maySpend),
    ...session.statements,
    ...endFormerSession(platform, exchange, session),
    ...(trustDevice ? [trust.statement] : []),
    store.deletePending(meta, pending.token_hash).where(({ exists }) => exists(isOpen)),
    auditEntryIf(platform, actor, { action: 'user.sign_in', details }, isOpen),
    ...(await alongsideIf(isOpen)),
  ])
  if (rows.of(session.insertion).length === 0) return refuseIfSuspended(platform, userId, isRight)
  giveSession(platform, exchange, session, pending.cookie_life)
  if (trustDevice) trust.keep()
  COOKIE.clear(exchange, platform.config)
  return session
}

export function suspended(): Refusal {
  return new Refusal('ACCOUNT_SUSPENDED', 'This account is suspended. Write to the support address.')
}

/**
 * A suspension can come before the end of a sign-in. Only a caller with the right credential is told; any
 * other gets the usual refusal.
 */
export async function refuseIfSuspended(
  { meta }: Platform,
  userId: string,
  isRight: Expression<unknown>,
): Promise<undefined> {
  if (await store.wasSuspended(meta, userId, isRight)) throw suspended()
}
