import type { Compilable } from 'kysely'
import type { PendingSignInTable } from '../../../../database/schema/people/sessions.ts'
import { ownCookie } from '../../../../http/answers/own-cookie.ts'
import type { Exchange } from '../../../../http/exchange.ts'
import type { Call } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { newToken, tokenHash } from '../../../../rules/tokens.ts'
import { auditEntry, programOf } from '../../../ground/audit/audit.ts'
import { heldRevision, refuseOtherSettings } from '../../../ground/settings/holding.ts'
import type { Settings } from '../../../ground/settings/model.ts'
import { lockedUser } from '../../users/statements.ts'
import { crowdedOut, endEarlierSessions, giveSession, type NewSession, newSession } from '../sessions.ts'
import * as store from './store.ts'
import { trustThisDevice } from './trusted-devices.ts'

const LIFETIME_SECONDS = 600
const COOKIE = ownCookie('two_factor')

export type PendingSignIn = PendingSignInTable

/** The proof from a second step: changes a row, and returns it, only if the proof is right and was not used before. */
export type Proof = Compilable<unknown>

/** For a cookie that lasts ten minutes. */
export function newPendingSignIn(
  { meta, now }: Platform,
  about: Pick<PendingSignIn, 'user_id' | 'first_step' | 'cookie_life' | 'return_address'>,
) {
  const token = newToken('second step')
  const row = {
    ...about,
    token_hash: tokenHash(token),
    created_at: now(),
    expires_at: now() + LIFETIME_SECONDS * 1000,
  }
  return { token, statement: store.insertPendingSignIn(meta, row) }
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
  readonly alongside: readonly Compilable<unknown>[]
  /** By which the sign-in was checked. */
  readonly settings: Settings
}

/** Undefined if the proof was wrong, or something ended the sign-in in the meantime. */
export async function completeSignIn(
  call: Call,
  pending: PendingSignIn,
  proof: Proof,
  { by, trustDevice, alongside, settings }: Completion,
): Promise<NewSession | undefined> {
  const { platform, exchange, sender } = call
  const { meta, now } = platform
  const userId = pending.user_id
  const session = newSession(platform, exchange, userId)
  const trust = trustThisDevice(call, userId)
  const isComplete = await meta.decide(
    [
      heldRevision(meta),
      lockedUser(meta, userId),
      store.activePending(meta, pending.token_hash, now()).select('user_id'),
      crowdedOut(platform, exchange, userId),
    ],
    async (decision, revisions, [user], [begun], crowded) => {
      refuseOtherSettings(settings, revisions)
      // A code is not used up by a sign-in that has ended.
      if (!user || (!begun && user.suspended_at === null)) return false
      if (!(await decision.first(proof))) return false
      if (user.suspended_at !== null) throw suspended()
      const details = { provider: pending.first_step, second_step: by, ...programOf(sender) }
      decision.write(
        ...session.statements,
        ...endEarlierSessions(platform, exchange, crowded),
        ...(trustDevice ? trust.statements : []),
        store.deletePending(meta, pending.token_hash),
        auditEntry(platform, { id: userId, address: sender.address }, { action: 'user.sign_in', details }),
        ...alongside,
      )
      return true
    },
  )
  if (!isComplete) return undefined
  giveSession(platform, exchange, session, pending.cookie_life)
  if (trustDevice) trust.keep()
  COOKIE.clear(exchange, platform.config)
  return session
}

export function suspended(): Refusal {
  return new Refusal('ACCOUNT_SUSPENDED', 'This account is suspended. Write to the support address.')
}
