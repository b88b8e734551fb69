import type { Compilable } from 'kysely'
import type { PendingSignInTable } from '../../../database/schema/people/sessions.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import { ownCookie } from '../../../http/answers/own-cookie.ts'
import type { Exchange } from '../../../http/exchange.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { type Act, decide } from '../../ground/acts/acts.ts'
import { programOf } from '../../ground/audit/audit.ts'
import { heldRevision, refuseOtherSettings } from '../../ground/settings/holding.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { lockedUser } from '../users/statements.ts'
import { crowdedOut, endEarlierSessions, giveSession, type NewSession, newSession } from './sessions.ts'
import * as store from './store.ts'
import { trustThisDevice } from './trusted-devices.ts'

const LIFETIME_SECONDS = 600
const COOKIE = ownCookie('two_factor')

export type PendingSignIn = PendingSignInTable

/** The proof from a second step: changes a row, and returns it, only if the proof is right and was not used before. */
export type Proof = Compilable<unknown>

/** Makes a pending sign-in for a cookie that lasts ten minutes. */
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
  throw new Refusal('INVALID_TWO_FACTOR_COOKIE', 'This sign-in has expired or was begun elsewhere. Start again.')
}

/** Abandons the pending sign-in. */
export async function dropPendingSignIn({ platform, exchange }: Call): Promise<void> {
  const token = COOKIE.of(exchange, platform.config)
  if (token === undefined) return
  await store.deletePending(platform.meta, tokenHash(token)).execute()
  COOKIE.clear(exchange, platform.config)
}

interface Completion {
  readonly by: 'totp' | 'backup_code' | 'passkey'
  readonly trustDevice: boolean
  readonly settings: Settings
  /** Refuses a user whose first step is not allowed by these settings. */
  readonly allow: (user: UserTable) => void
}

/** Undefined if the proof was wrong, or something ended the sign-in in the meantime. */
export async function completeSignIn(
  call: Call,
  pending: PendingSignIn,
  proof: Proof,
  { by, trustDevice, allow, settings }: Completion,
): Promise<{ readonly session: NewSession; readonly user: UserTable } | undefined> {
  const { platform, exchange, sender } = call
  const { meta, now } = platform
  const userId = pending.user_id
  const session = newSession(platform, exchange, userId)
  const trust = trustThisDevice(call, userId)
  const completed = await decide(
    call,
    [
      heldRevision(meta),
      lockedUser(meta, userId),
      store.activePending(meta, pending.token_hash, now()).select('user_id'),
      crowdedOut(platform, exchange, userId),
    ],
    async (act, revisions, [user], [begun], crowded) => {
      refuseOtherSettings(settings, revisions)
      if (user) allow(user)
      // A code is not used up by a sign-in that has ended.
      if (!user || (!begun && user.suspended_at === null)) return undefined
      if (!(await act.first(proof))) return undefined
      if (user.suspended_at !== null) throw suspended()
      act.write(
        ...session.statements,
        ...endEarlierSessions(platform, exchange, crowded),
        ...(trustDevice ? trust.statements : []),
        store.deletePending(meta, pending.token_hash),
      )
      const details = { provider: pending.first_step, second_step: by, ...programOf(sender) }
      act.record('user.sign_in', { by: user, details })
      tellOwner(act, user, { by, trustDevice })
      return user
    },
  )
  if (!completed) return undefined
  giveSession(platform, exchange, session, pending.cookie_life)
  if (trustDevice) trust.keep()
  COOKIE.clear(exchange, platform.config)
  return { session, user: completed }
}

function tellOwner(act: Act, user: UserTable, { by, trustDevice }: Pick<Completion, 'by' | 'trustDevice'>): void {
  if (by === 'backup_code') act.record('backup_code.used', { user })
  if (trustDevice) act.record('device.trusted', { user })
}

export function suspended(): Refusal {
  return new Refusal('ACCOUNT_SUSPENDED', 'This account is suspended. Write to the support address.')
}
