import type { Compilable } from 'kysely'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Call } from '../../../http/route.ts'
import type { Factors } from '../../../rules/caller.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { type Act, decide, programOf } from '../../ground/acts/acts.ts'
import { heldRevision, refuseOtherSettings } from '../../ground/settings/holding.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { lockedUser } from '../users/statements.ts'
import { endsWithBrowser } from './cookie.ts'
import { PENDING_COOKIE, PENDING_SECONDS } from './pending.ts'
import {
  type CookieLife,
  crowdedOut,
  endEarlierSessions,
  giveSession,
  type NewSession,
  newSession,
} from './sessions.ts'
import * as store from './store.ts'
import { trustHashes } from './trusted-devices.ts'

/** A credential that was shown and is correct. */
interface FirstStep {
  readonly userId: string
  /** An account's provider, or `passkey`. */
  readonly by: string
  /** A passkey counts as both factors if it has verified its user. */
  readonly counts: 'as one factor' | 'as both factors'
  /** Returns a row if the credential is still valid, and uses up one that works once. */
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

/** The result: a session, or the methods for the second step that is required. */
type Opening =
  | { readonly session: NewSession; readonly methods?: undefined }
  | { readonly session?: undefined; readonly methods: readonly Method[]; readonly pendingToken: string }

/**
 * Decides what follows any first step: a session, or a second step. Undefined if the credential was changed in the
 * meantime.
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
        const pendingToken = newPendingSignIn(act, call, step)
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
  else if (opening) PENDING_COOKIE.set(exchange, platform.config, opening.pendingToken, PENDING_SECONDS)
  return opening
}

function needsSecondStep({ counts }: FirstStep, { factors }: UserTable): boolean {
  return counts === 'as one factor' && factors !== ''
}

function methodsOf(factors: Factors): readonly Method[] {
  return (['totp', 'passkey'] as const).filter((method) => factors.includes(method))
}

/** Returns the token for the browser's cookie. */
function newPendingSignIn(act: Act, { platform, exchange }: Call, { userId, by, life, returnTo }: FirstStep): string {
  const { meta, now, config } = platform
  const token = newToken('second step')
  const row = {
    token_hash: tokenHash(token),
    user_id: userId,
    first_step: by,
    cookie_life: life ?? (endsWithBrowser(exchange, config) ? 'until the browser closes' : 'lasting'),
    return_address: returnTo ?? null,
    created_at: now(),
    expires_at: now() + PENDING_SECONDS * 1000,
  } as const
  act.write(store.insertPendingSignIn(meta, row))
  return token
}

export function suspended(): Refusal {
  return new Refusal('ACCOUNT_SUSPENDED', 'This account is suspended. Write to the support address.')
}
