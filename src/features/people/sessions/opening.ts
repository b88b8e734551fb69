import type { Compilable } from 'kysely'
import type { PendingSignInTable } from '../../../database/schema/people/sessions.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import { ownCookie } from '../../../http/answers/own-cookie.ts'
import type { Exchange } from '../../../http/exchange.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Factors } from '../../../rules/caller.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { type Act, decide, programOf } from '../../ground/acts/acts.ts'
import { heldRevision, refuseOtherSettings } from '../../ground/settings/holding.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { lockedUser } from '../users/statements.ts'
import { endsWithBrowser } from './cookie.ts'
import {
  type CookieLife,
  crowdedOut,
  endEarlierSessions,
  giveSession,
  type NewSession,
  newSession,
} from './sessions.ts'
import { pendingSignIn } from './statements.ts'
import * as store from './store.ts'
import { trustHashes } from './trusted-devices.ts'

/** A credential that was shown and is correct. */
interface FirstStep {
  readonly userId: string
  /** An account's provider, or `passkey`. */
  readonly by: string
  /** A passkey that checked who its user is counts as both. */
  readonly counts: 'as one factor' | 'as both factors'
  /** Returns a row if the credential is still valid; one that works once is used up by it. */
  readonly credential: Compilable<unknown>
  /** Replaces the credential's imported hash. */
  readonly rehash?: Compilable<unknown> | undefined
  /** The settings the step was checked against, if any. */
  readonly settings?: Settings | undefined
  readonly life?: CookieLife | undefined
  /** The address the browser goes to once it is signed in. */
  readonly returnTo?: string | undefined
}

export type Method = 'totp' | 'passkey'

/** The result: a session, or the second step that is required. */
type Opening =
  | { readonly session: NewSession; readonly methods?: undefined }
  | { readonly session?: undefined; readonly methods: readonly Method[]; readonly pendingToken: string }

/**
 * Decides what follows any first step. Nothing else opens a session for an existing user. Undefined if the
 * credential was changed in the meantime.
 */
export async function openSession(call: Call, step: FirstStep): Promise<Opening | undefined> {
  const { platform, exchange } = call
  const { meta, now } = platform
  const { userId, settings } = step
  const trusted = trustHashes(call)
  const opening = await decide(
    call,
    [
      settings && heldRevision(meta),
      lockedUser(meta, userId),
      step.credential,
      trusted.length > 0 ? store.trustedDevice(meta, userId, trusted, now()) : undefined,
      crowdedOut(platform, exchange, userId),
    ],
    async (act, revisions, [user], [credential], [device], crowded): Promise<Opening | undefined> => {
      if (settings) refuseOtherSettings(settings, revisions)
      if (!user || !credential) return undefined
      if (user.suspended_at !== null) throw suspended()
      if (step.rehash) act.write(step.rehash)
      if (needsSecondStep(step, user) && !device) {
        const pendingToken = newPendingSignIn(act, platform, aboutPending(call, step))
        return { methods: methodsOf(user.factors), pendingToken }
      }
      const session = newSession(act, call, userId)
      endEarlierSessions(act, call, crowded)
      if (device) act.write(store.touchTrustedDevices(meta, userId, trusted, now()))
      act.record('user.sign_in', { by: user, details: { provider: step.by, ...programOf(call.sender) } })
      return { session }
    },
  )
  if (opening?.session) giveSession(platform, exchange, opening.session, step.life)
  else if (opening) keepPendingSignIn(platform, exchange, opening.pendingToken)
  return opening
}

function needsSecondStep({ counts }: FirstStep, { factors }: UserTable): boolean {
  return counts === 'as one factor' && factors !== ''
}

function aboutPending({ platform, exchange }: Call, { userId, by, life, returnTo }: FirstStep) {
  return {
    user_id: userId,
    first_step: by,
    cookie_life: life ?? (endsWithBrowser(exchange, platform.config) ? 'until the browser closes' : 'lasting'),
    return_address: returnTo ?? null,
  } as const
}

function methodsOf(factors: Factors): readonly Method[] {
  return (['totp', 'passkey'] as const).filter((method) => factors.includes(method))
}

const LIFETIME_SECONDS = 600
const COOKIE = ownCookie('two_factor')

export type PendingSignIn = PendingSignInTable

/** The proof from a second step: changes a row, and returns it, only if the proof is right and was not used before. */
export type Proof = Compilable<unknown>

/** For the decision about the first step; returns the token for a cookie that lasts ten minutes. */
function newPendingSignIn(
  act: Act,
  { meta, now }: Platform,
  about: Pick<PendingSignIn, 'user_id' | 'first_step' | 'cookie_life' | 'return_address'>,
): string {
  const token = newToken('second step')
  const times = { created_at: now(), expires_at: now() + LIFETIME_SECONDS * 1000 }
  act.write(store.insertPendingSignIn(meta, { ...about, token_hash: tokenHash(token), ...times }))
  return token
}

function keepPendingSignIn({ config }: Platform, exchange: Exchange, token: string): void {
  COOKIE.set(exchange, config, token, LIFETIME_SECONDS)
}

/** The sign-in that this browser has begun. */
export async function findPendingSignIn(call: Call): Promise<PendingSignIn | undefined> {
  if (!hasPendingCookie(call)) return undefined
  const { meta, now } = call.platform
  const [pending] = await meta.primary.run(pendingSignIn(meta, pendingHashOf(call), now()))
  return pending
}

export function pendingHashOf({ platform, exchange }: Call): string {
  return tokenHash(COOKIE.of(exchange, platform.config) ?? '')
}

export function hasPendingCookie({ platform, exchange }: Call): boolean {
  return COOKIE.of(exchange, platform.config) !== undefined
}

/** Abandons the pending sign-in. */
export async function dropPendingSignIn({ platform, exchange }: Call): Promise<void> {
  const token = COOKIE.of(exchange, platform.config)
  if (token === undefined) return
  await platform.meta.run(store.deletePending(platform.meta, tokenHash(token)))
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
