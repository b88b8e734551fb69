import type { Client } from '../../../http/client/client.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { recordAudit } from '../../audit/audit.ts'
import { countUse, refuseUsedUp } from '../../limits/limits.ts'
import { networkOf, requesterOf } from '../../limits/networks.ts'
import { currentSettings } from '../../settings/settings.ts'
import { refuseUnchallenged } from '../challenge.ts'
import { withCooldown } from '../email-rules/cooldown.ts'
import { otpSignInDisabled } from '../email-rules/email-rules.ts'
import type { RequestCode, RequestReset, ResetPassword, VerifyEmail } from '../input.ts'
import { refuseWeakPassword } from '../passwords/password-rules.ts'
import * as passwordStore from '../passwords/store.ts'
import { wireUser } from '../wire.ts'
import { refuseDeadCode, sendCode, spendCode } from './codes.ts'
import { browserOf, passwordReset, verification } from './proof.ts'

export async function sendVerificationCode({ platform, client }: Call, { email, type }: RequestCode) {
  if (type === 'sign-in') throw otpSignInDisabled()
  const settings = await currentSettings(platform)
  await countUse(platform, 'network-code-requests', networkOf(client.address))
  await withCooldown(platform, settings, 'send_verification_email', email, () =>
    sendCode(platform, 'email-verification', email),
  )
  return { success: true as const }
}

/** A code never signs in: no token, no cookie. */
export async function verifyEmail(call: Call, { email, otp }: VerifyEmail) {
  const { platform, client } = call
  const browser = await browserOf(call, email)
  const user = await withinNetwork(platform, client, () =>
    spendCode(platform, 'email-verification', email, otp, (isRight) =>
      verification(platform, email, browser, isRight),
    ),
  )
  await recordAudit(platform, { id: user.id, address: client.address }, { action: 'user.verify_email' })
  const hasPassword = (await passwordStore.passwordHashOf(platform.meta, user.id)) !== undefined
  return { status: true as const, token: null, user: wireUser(user), hasPassword }
}

export async function requestPasswordReset(call: Call, { email }: RequestReset) {
  const { platform } = call
  const settings = await currentSettings(platform)
  await refuseUnchallenged(call, settings)
  await countUse(platform, 'network-code-requests', networkOf(call.client.address))
  await withCooldown(platform, settings, 'request_password_reset', email, () =>
    sendCode(platform, 'password-reset', email),
  )
  return { success: true as const }
}

/** Whoever knew the old password, or came in by it, is out. */
export async function resetPassword({ platform, client }: Call, { email, otp, password }: ResetPassword) {
  await refuseWeakPassword(platform, email, password)
  const { user_id } = await withinNetwork(platform, client, async () => {
    await refuseDeadCode(platform, 'password-reset', email)
    const hash = await platform.passwords.hash(password, requesterOf(client, email))
    return spendCode(platform, 'password-reset', email, otp, (isRight) =>
      passwordReset(platform, email, hash, isRight),
    )
  })
  await recordAudit(platform, { id: user_id, address: client.address }, { action: 'user.reset_password' })
  return { success: true as const }
}

/** Codes have limits of their own for each address; this is for whoever tries many addresses. */
async function withinNetwork<T>(platform: Platform, client: Client, spend: () => Promise<T>): Promise<T> {
  const network = networkOf(client.address)
  await refuseUsedUp(platform, 'network-failures', network)
  try {
    return await spend()
  } catch (error) {
    if (error instanceof Refusal) await countUse(platform, 'network-failures', network)
    throw error
  }
}
