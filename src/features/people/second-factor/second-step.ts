import { sql } from 'kysely'
import { Asked } from '../../../database/asking.ts'
import { statement } from '../../../database/prepared.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Meta } from '../../../database/store.ts'
import { logFailedSignIn } from '../../../http/answers/refuse.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Caller } from '../../../rules/caller.ts'
import { networkOf } from '../../../rules/networks.ts'
import { lacksVerification } from '../../../rules/verification.ts'
import { decide, programOf } from '../../ground/acts/acts.ts'
import { type AskedProduct, askHook, type HookQuestion } from '../../ground/hooks/asking.ts'
import { countCall } from '../../ground/limits/calls.ts'
import { addUse, LIMITS } from '../../ground/limits/limits.ts'
import { socialProviders } from '../../ground/provider-presets/presets.ts'
import { bySettings, refuseOtherSettings, settingsOf } from '../../ground/settings/current-settings.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { currentRevision, heldRevision } from '../../ground/settings/statements.ts'
import { emailNotVerified } from '../account/email-rules.ts'
import { factorGuesserOf, placeColumns, rememberBrowser, usersOfBrowser } from '../account/known-browser.ts'
import { refuseDisabled } from '../account/providers/protocol/connection.ts'
import { passwordAccountOf } from '../account/statements.ts'
import { wireKnownUser, wireUser } from '../account/wire.ts'
import { findCaller } from '../callers/find-caller.ts'
import { suspended } from '../sessions/opening.ts'
import {
  clearPendingCookie,
  endPendingSignIn,
  findPendingSignIn,
  hasPendingCookie,
  noPendingSignIn,
  type PendingSignIn,
  type Proof,
  pendingHashOf,
} from '../sessions/pending.ts'
import {
  askAbout,
  earlierSessions,
  endEarlierSessions,
  giveSession,
  newSession,
  tellIfUnfamiliar,
} from '../sessions/sessions.ts'
import { activePending, networksBefore, pendingUser } from '../sessions/statements.ts'
import { keepTrust, trustThisDevice } from '../sessions/trusted-devices.ts'
import { lockedUser } from '../users/statements.ts'
import { getUser } from '../users/users.ts'
import { confirm } from './confirming.ts'
import { confirmTotp } from './enrolment.ts'
import type { VerifyCode } from './input.ts'
import { type FactorCodeKind, findCodeProof, kindOfCode, wrongFactorCode } from './one-time-codes.ts'
import { confirmedTotp } from './store.ts'

/**
 * Completes a sign-in that waits for its second step. For a signed-in user, confirms a new authenticator app,
 * or makes the session fresh.
 */
export async function verifyTotp(call: Call, sent: VerifyCode) {
  const caller = await findCaller(call.platform, call.exchange)
  if (caller?.credential.kind === 'session') {
    if (await confirmTotp({ ...call, caller }, sent.code)) return signedInAlready(call, caller)
    if (!(await findPendingSignIn(call))) return confirmedBy(call, caller, sent.code, 'totp')
  }
  return verifyCode(call, 'totp', sent)
}

export async function verifyBackupCode(call: Call, sent: VerifyCode) {
  const caller = await findCaller(call.platform, call.exchange)
  const isSignedIn = caller?.credential.kind === 'session' && !(await findPendingSignIn(call))
  return isSignedIn ? confirmedBy(call, caller, sent.code, 'backup_code') : verifyCode(call, 'backup_code', sent)
}

async function verifyCode(call: Call, kind: FactorCodeKind, { code, trustDevice }: VerifyCode) {
  const { platform } = call
  const pending = await findWaitingStep(call)
  if (!pending) throw noPendingSignIn()
  // Counted apart from the first step, so that strangers who fail that step cannot slow down the user.
  const guesser = factorGuesserOf(call, pending.user_id, `second-step:${pending.user_id}`, pending)
  const proof = await findCodeProof(platform, pending.user_id, { kind, code }, guesser, pending.app)
  const done = proof && (await finishSignIn(call, pending, proof, { by: kind, trustDevice }))
  if (done) return done
  await recordWrongStep(call, pending, kind)
  throw wrongFactorCode(kind)
}

/** The sign-in that waits, with what a code for it is checked against, in one statement. */
async function findWaitingStep(call: Call) {
  if (!hasPendingCookie(call)) return undefined
  const { meta, now } = call.platform
  const network = networkOf(call.sender.address) ?? ''
  const [found] = await meta.primary.run(waitingStep(meta, pendingHashOf(call), now(), network))
  if (!found) return undefined
  const { app_id, sealed, last_step, settings_revision, ...pending } = found
  call.exchange.settingsRevision ??= settings_revision ?? undefined
  const hasApp = app_id !== null && sealed !== null && last_step !== null
  return { ...pending, app: hasApp ? { id: app_id, sealed, last_step } : undefined }
}

const waitingStep = statement((meta: Meta, tokenHash: string, now: number, network: string) =>
  activePending(meta, tokenHash, now)
    .leftJoin(confirmedTotp(meta).as('app'), 'app.user_id', 'pending_sign_in.user_id')
    .selectAll('pending_sign_in')
    .select(['app.id as app_id', 'app.sealed', 'app.last_step'])
    .select(placeColumns(meta, sql.ref('pending_sign_in.user_id'), network))
    .select(currentRevision(meta).as('settings_revision')),
)

interface Step {
  readonly by: FactorCodeKind | 'passkey'
  readonly trustDevice: boolean
}

/** Undefined if the proof was used at the same time. */
export async function finishSignIn(call: Call, pending: PendingSignIn, proof: Proof, step: Step) {
  const { platform, exchange } = call
  const asked = new Asked((question: HookQuestion) => askHook(call, 'before_sign_in', question))
  const decided = (settings: Settings) =>
    asked.around(() =>
      decideSecondStep(call, settings, pending, proof, step, settings.hooks.before_sign_in.enabled ? asked : undefined),
    )
  const done = await bySettings(platform, decided, await settingsOf(call))
  if (!done) return undefined
  const { user, account, session, trust } = done
  giveSession(platform, exchange, session, pending.cookie_life)
  if (trust !== undefined) keepTrust(call, trust)
  clearPendingCookie(call)
  const password_hash = pending.first_step === 'credential' ? (account?.password_hash ?? null) : undefined
  rememberBrowser(call, { id: user.id, password_hash })
  const url = pending.return_address
  return {
    ...(url === null ? { redirect: false } : { redirect: true, url }),
    token: session.token,
    user: wireUser(platform, user, account?.password_is_initial === 1),
  }
}

function decideSecondStep(
  call: Call,
  settings: Settings,
  pending: PendingSignIn,
  proof: Proof,
  { by, trustDevice }: Step,
  asked: AskedProduct | undefined,
) {
  const { platform, sender } = call
  const { meta } = platform
  const { user_id, first_step } = pending
  const hash = pendingHashOf(call)
  const tellsIfUnfamiliar = settings.authentication.sign_in_letters && !usersOfBrowser(call).includes(user_id)
  return decide(
    call,
    [
      heldRevision(meta),
      lockedUser(meta, user_id),
      pendingUser(meta, hash, platform.now()),
      passwordAccountOf(meta, user_id),
      proof,
      tellsIfUnfamiliar ? networksBefore(meta, user_id) : undefined,
      ...earlierSessions(call, settings, user_id),
    ],
    async (act, revisions, [user], [begun], [account], [right], networks, ...earlier) => {
      refuseOtherSettings(settings, revisions)
      if (user) refuseFirstStep(platform, settings, first_step, user)
      // Throwing leaves the code unused: a sign-in that has ended does not use it up.
      if (!user || (!begun && user.suspended_at === null)) throw noPendingSignIn()
      if (!right) return undefined
      if (user.suspended_at !== null) throw suspended()
      askAbout(asked, user, first_step)
      tellIfUnfamiliar(act, call, user, networks)
      const beside = endEarlierSessions(act, call, settings, user_id, earlier)
      const session = { ...newSession(act, call, user_id), beside }
      endPendingSignIn(act, platform, pending)
      act.record('user.sign_in', {
        by: user,
        details: { provider: first_step, second_step: by, ...programOf(sender) },
      })
      if (by === 'backup_code') act.record('backup_code.used', { user })
      const trust = trustDevice ? trustThisDevice(act, call, user) : undefined
      return { user, account, session, trust }
    },
  )
}

/** The settings can have changed since the first step. */
function refuseFirstStep(platform: Platform, settings: Settings, firstStep: string, user: UserTable): void {
  const provider = socialProviders.find((name) => name === firstStep)
  if (provider) refuseDisabled(platform, settings, provider)
  else if (lacksVerification(settings.authentication, user)) throw emailNotVerified()
}

async function confirmedBy(call: Call, caller: Caller, code: string, kind: FactorCodeKind) {
  if (kindOfCode(code) !== kind) throw wrongFactorCode(kind)
  const signedIn = { ...call, caller }
  await countCall(signedIn, 'confirmations')
  await confirm(signedIn, { code })
  return signedInAlready(call, caller)
}

async function signedInAlready({ platform }: Call, { user }: Caller) {
  const now = await getUser(platform.meta, user.id)
  return { redirect: false, token: null, user: await wireKnownUser(platform, now) }
}

/**
 * The owner sees the failure among the recent sign-ins. The tenth in a day also causes a letter, since somebody has
 * passed the first step.
 */
async function recordWrongStep(call: Call, pending: PendingSignIn, kind: FactorCodeKind): Promise<void> {
  const { platform, sender } = call
  const { code } = wrongFactorCode(kind)
  const wrong = await addUse(platform, 'wrong-second-steps', pending.user_id)
  await decide(call, [lockedUser(platform.meta, pending.user_id)], async (act, [user]) => {
    if (!user) return
    act.record('user.sign_in_refused', {
      subject: { type: 'user', id: user.id },
      details: { provider: pending.first_step, second_step: kind, code, ...programOf(sender) },
    })
    if (wrong === LIMITS['wrong-second-steps'].most) act.record('second_step.failed_often', { user })
  })
  logFailedSignIn(platform, call.exchange, code, { second_step: kind })
}
