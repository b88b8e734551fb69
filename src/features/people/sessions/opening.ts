import type { Compilable } from 'kysely'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Call } from '../../../http/route.ts'
import type { Factors } from '../../../rules/caller.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { type Act, decide, programOf } from '../../ground/acts/acts.ts'
import type { AskedProduct } from '../../ground/hooks/asking.ts'
import { refuseOtherSettings, settingsOf } from '../../ground/settings/current-settings.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { heldRevision } from '../../ground/settings/statements.ts'
import { lockedUser } from '../users/statements.ts'
import { type CookieLife, endsWithBrowser } from './cookie.ts'
import { PENDING_COOKIE, PENDING_SECONDS, type Proof } from './pending.ts'
import {
  askAbout,
  earlierSessions,
  endEarlierSessions,
  giveSession,
  type NewSession,
  newSession,
  tellIfUnfamiliar,
} from './sessions.ts'
import { networksBefore } from './statements.ts'
import * as store from './store.ts'
import { trustHashes } from './trusted-devices.ts'

/** A credential that was shown and is correct. */
interface FirstStep {
  readonly userId: string
  /** An account's provider, or `passkey`. */
  readonly by: string
  /** A passkey counts as both factors if it has verified its user. */
  readonly counts: 'as one factor' | 'as both factors'
  /** Returns a row if what was shown is still valid, and uses it up if it works once. */
  readonly proof: Proof
  /** Replaces the credential's imported hash. */
  readonly rehash?: Compilable<unknown> | undefined
  /** For a password in the list of stolen ones: a row unless its owner was told, and what notes that they are. */
  readonly breach?: { readonly untold: Compilable<unknown>; readonly told: Compilable<unknown> } | undefined
  /** The settings the step was checked against, if any. */
  readonly settings?: Settings | undefined
  readonly life?: CookieLife | undefined
  /** The product, unless it was asked already. */
  readonly asked?: AskedProduct | undefined
  /** The user has signed in with this browser before. */
  readonly isKnownBrowser: boolean
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
  const settings = step.settings ?? (await settingsOf(call))
  const asked = settings.hooks.before_sign_in.enabled ? step.asked : undefined
  const decided = () => decideOpening(call, settings, step, asked)
  const opening = await (asked ? asked.around(decided) : decided())
  const { platform, exchange } = call
  if (opening?.session) giveSession(platform, exchange, opening.session, step.life)
  else if (opening) PENDING_COOKIE.set(exchange, platform.config, opening.pendingToken, PENDING_SECONDS)
  return opening
}

function decideOpening(
  call: Call,
  current: Settings,
  step: FirstStep,
  asked: AskedProduct | undefined,
): Promise<Opening | undefined> {
  const { meta, now } = call.platform
  const { userId, settings } = step
  const trusted = trustHashes(call)
  return decide(
    call,
    [
      settings && heldRevision(meta),
      lockedUser(meta, userId),
      step.proof,
      trusted.length > 0 ? store.trustedDevice(meta, userId, trusted, now()) : undefined,
      step.breach?.untold,
      current.authentication.sign_in_letters && !step.isKnownBrowser ? networksBefore(meta, userId) : undefined,
      ...earlierSessions(call, current, userId),
    ],
    async (
      act,
      revisions,
      [user],
      [proven],
      [device],
      [untold],
      networks,
      ...earlier
    ): Promise<Opening | undefined> => {
      if (settings) refuseOtherSettings(settings, revisions)
      if (!user || !proven) return undefined
      if (user.suspended_at !== null) throw suspended()
      act.write(step.rehash)
      if (untold) tellOfBreach(act, step, user)
      if (needsSecondStep(step, user) && !device) {
        const pendingToken = newPendingSignIn(act, call, step)
        return { methods: methodsOf(user.factors), pendingToken }
      }
      askAbout(asked, user, step.by)
      tellIfUnfamiliar(act, call, user, networks)
      const beside = endEarlierSessions(act, call, current, userId, earlier)
      const session = { ...newSession(act, call, userId), beside }
      if (device) act.write(store.touchTrustedDevices(meta, userId, trusted, now()))
      act.record('user.sign_in', { by: user, details: { provider: step.by, ...programOf(call.sender) } })
      return { session }
    },
  )
}

function tellOfBreach(act: Act, { breach }: FirstStep, user: UserTable): void {
  act.write(breach?.told)
  act.record('user.password_breached', { user })
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
