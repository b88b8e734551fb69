import type { Call } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { countUse, refuseUsedUp } from '../../ground/limits/limits.ts'
import { networkOf, requesterOf } from '../../ground/limits/networks.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { refuseUnchallenged } from './challenge.ts'
import { guessOf, isLink, knownBrowser, refuseDeadCode, spendCode, strangerFrom } from './codes/codes.ts'
import { sendCode } from './codes/sending.ts'
import { withCooldown } from './cooldown.ts'
import { otpSignInDisabled } from './email-rules.ts'
import { passkeyAlone } from './factor-statements.ts'
import type { RequestCode, RequestReset, ResetPassword, VerifyEmail } from './input.ts'
import { knownBrowserOf, rememberBrowser } from './known-browser.ts'
import { refuseWeakPassword } from './password-rules.ts'
import { passwordOf } from './password-statements.ts'
import { passwordReset, usersOwnedHere, verification } from './proof.ts'
import * as store from './store.ts'
import { wireUser } from './wire.ts'

export async function sendVerificationCode(call: Call, { email, type }: RequestCode) {
  const { platform, sender } = call
  if (type === 'sign-in') throw otpSignInDisabled()
  const settings = await currentSettings(platform)
  await countUse(platform, 'network-code-requests', networkOf(sender.address))
  await withCooldown(platform, settings, 'send_verification_email', email, () =>
    sendCode(call, 'email-verification', email),
  )
  return { success: true as const }
}

/** A code never signs in: no token, no cookie. */
export async function verifyEmail(call: Call, { email, otp }: VerifyEmail) {
  const { platform } = call
  const ownedHere = await usersOwnedHere(call)
  const guess = guessOf(platform, 'email-verification', email, otp, await codeGuesser(call, email))
  const user = await withinNetwork(call, otp, () => spendCode(call, guess, verification(call, ownedHere)))
  const { meta } = platform
  const [passwords, passkeys] = await meta.snapshot([passwordOf(meta, user.id), passkeyAlone(meta, user.id)], 'primary')
  return {
    status: true as const,
    token: null,
    user: wireUser(platform, user),
    hasPassword: passwords.length > 0,
    hasPasskey: passkeys.length > 0,
  }
}

export async function requestPasswordReset(call: Call, { email }: RequestReset) {
  const { platform } = call
  const settings = await currentSettings(platform)
  await refuseUnchallenged(call, settings)
  await countUse(platform, 'network-code-requests', networkOf(call.sender.address))
  await withCooldown(platform, settings, 'request_password_reset', email, () => sendCode(call, 'password-reset', email))
  return { success: true as const }
}

/** Ends what the old password opened. Strangers' guesses at the new one do not hold up the browser that has set it. */
export async function resetPassword(call: Call, { email, otp, password }: ResetPassword) {
  const { platform, sender } = call
  await refuseWeakPassword(platform, email, password)
  const guess = guessOf(platform, 'password-reset', email, otp, await codeGuesser(call, email))
  await withinNetwork(call, otp, async () => {
    await refuseDeadCode(platform, guess)
    const password_hash = await platform.passwords.hash(password, requesterOf(sender, email))
    const { id } = await spendCode(call, guess, passwordReset(call, password_hash))
    rememberBrowser(call, { id, password_hash })
  })
  return { success: true as const }
}

/**
 * Each address has its own limits for codes; this one is for a caller who tries many addresses. A link cannot
 * be guessed, so a correct one works whatever others in the network have tried.
 */
export async function withinNetwork<T>({ platform, sender }: Call, otp: string, spend: () => Promise<T>): Promise<T> {
  const network = networkOf(sender.address)
  if (!isLink(otp)) await refuseUsedUp(platform, 'network-failures', network)
  try {
    return await spend()
  } catch (error) {
    if (error instanceof Refusal) await countUse(platform, 'network-failures', network)
    throw error
  }
}

/** A browser that signed up or signed in with the password is not affected by strangers' wrong codes. */
async function codeGuesser(call: Call, email: string) {
  const known = await store.credentialByEmail(call.platform.meta, email)
  const browser = known && knownBrowserOf(call, known)
  if (browser !== undefined) return knownBrowser(browser, call.sender)
  return strangerFrom(call.sender)
}
