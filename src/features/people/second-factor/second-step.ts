import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Caller } from '../../../rules/caller.ts'
import { decideAboutUser } from '../../ground/acts/acts.ts'
import { programOf } from '../../ground/audit/audit.ts'
import { countCall } from '../../ground/limits/calls.ts'
import { addUse, LIMITS } from '../../ground/limits/limits.ts'
import { socialProviders } from '../../ground/provider-presets/presets.ts'
import { bySettings } from '../../ground/settings/holding.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { emailNotVerified } from '../account/email-rules.ts'
import { logFailedSignIn } from '../account/failed-sign-in-log.ts'
import { codeGuesserOf, rememberBrowser } from '../account/known-browser.ts'
import { findPasswordHash } from '../account/password-statements.ts'
import { refuseDisabled } from '../account/providers/protocol/connection.ts'
import { wireKnownUser } from '../account/wire.ts'
import { findCaller } from '../callers/find-caller.ts'
import {
  completeSignIn,
  findPendingSignIn,
  getPendingSignIn,
  type PendingSignIn,
  type Proof,
} from '../sessions/pending-sign-in.ts'
import { getUser } from '../users/users.ts'
import { confirm } from './confirming.ts'
import { confirmTotp } from './enrolment.ts'
import type { VerifyCode } from './input.ts'
import { type CodeKind, findCodeProof, wrongCode } from './proofs.ts'

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

async function verifyCode(call: Call, kind: CodeKind, { code, trustDevice }: VerifyCode) {
  const pending = await getPendingSignIn(call)
  // Counted apart from the first step, so that strangers who fail that step cannot slow down the user.
  const guesser = await codeGuesserOf(call, pending.user_id, `second-step:${pending.user_id}`)
  const proof = await findCodeProof(call.platform, pending.user_id, kind, code, guesser)
  const done = proof && (await finishSignIn(call, pending, proof, { by: kind, trustDevice }))
  if (done) return done
  await recordWrongStep(call, pending, kind)
  throw wrongCode(kind)
}

/** Undefined if the proof was used at the same time, or the sign-in was ended in the meantime. */
export async function finishSignIn(
  call: Call,
  pending: PendingSignIn,
  proof: Proof,
  { by, trustDevice }: { readonly by: CodeKind | 'passkey'; readonly trustDevice: boolean },
) {
  const { platform } = call
  const completed = await bySettings(platform, (settings) => {
    const allow = (user: UserTable) => refuseFirstStep(platform, settings, pending.first_step, user)
    return completeSignIn(call, pending, proof, { by, trustDevice, allow, settings })
  })
  if (!completed) return undefined
  const { session, user } = completed
  const withPassword = pending.first_step === 'credential'
  const password_hash = withPassword ? ((await findPasswordHash(platform.meta, user.id)) ?? null) : undefined
  rememberBrowser(call, { id: user.id, password_hash })
  const url = pending.return_address
  return {
    ...(url === null ? { redirect: false } : { redirect: true, url }),
    token: session.token,
    user: await wireKnownUser(platform, user),
  }
}

/** The settings can have changed since the first step. */
function refuseFirstStep(
  platform: Platform,
  settings: Settings,
  firstStep: string,
  { email_verified }: UserTable,
): void {
  const provider = socialProviders.find((name) => name === firstStep)
  if (provider) refuseDisabled(platform, settings, provider)
  else if (settings.authentication.email_verification_required && email_verified === 0) throw emailNotVerified()
}

async function confirmedBy(call: Call, caller: Caller, code: string, kind: CodeKind) {
  const isTotp = /^\d{6}$/.test(code)
  if (isTotp !== (kind === 'totp')) throw wrongCode(kind)
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
 * The owner sees it among the recent sign-ins. The tenth in a day also causes a letter: somebody has passed
 * the first step.
 */
async function recordWrongStep(call: Call, pending: PendingSignIn, kind: CodeKind): Promise<void> {
  const { platform, sender } = call
  const { code } = wrongCode(kind)
  const wrong = await addUse(platform, 'wrong-second-steps', pending.user_id)
  await decideAboutUser(call, pending.user_id, [], async (act, user) => {
    act.record('user.sign_in_refused', {
      subject: { type: 'user', id: user.id },
      details: { provider: pending.first_step, second_step: kind, code, ...programOf(sender) },
    })
    if (wrong === LIMITS['wrong-second-steps'].most) act.record('second_step.failed_often', { user })
  })
  logFailedSignIn(call, code, { second_step: kind })
}
