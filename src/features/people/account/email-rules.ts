import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { domainOf, isSynthetic } from '../../../rules/email.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { isMailAvailable } from '../../delivery/mail/sender.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import type { Settings } from '../../ground/settings/model.ts'

/** Rule 1, before method, origin or body are checked: a code never signs in. */
export function refuseOtpSignIn(): never {
  throw otpSignInDisabled()
}

export function otpSignInDisabled(): Refusal {
  return new Refusal('EMAIL_OTP_SIGN_IN_DISABLED', 'You cannot sign in with a code. Use your password or a provider.')
}

/** Rules 2 and 3, whatever was sent: nobody can sign up, or no code could be delivered. */
export async function refuseSignUp(call: Call): Promise<void> {
  refuseSignUpBy(call.platform, await settingsOf(call))
}

export function refuseSignUpBy(platform: Platform, settings: Settings): void {
  refuseClosedRegistration(settings)
  if (settings.authentication.email_verification_required) refuseWithoutMail(platform, settings)
}

/** Rule 3, whatever was sent. */
export async function refuseEmailAction(call: Call): Promise<void> {
  refuseWithoutMail(call.platform, await settingsOf(call))
}

/** Rule 2; also the hook before every other creation of a user. */
export function refuseClosedRegistration({ authentication }: Settings): void {
  if (authentication.registration_enabled) return
  throw new Refusal('REGISTRATION_DISABLED', 'New accounts are not accepted right now.')
}

/** Rule 3. */
function refuseWithoutMail(platform: Platform, settings: Settings): void {
  if (isMailAvailable(platform, settings)) return
  throw new Refusal('EMAIL_PROVIDER_UNAVAILABLE', 'This service cannot send mail right now.')
}

/** Rule 4. Nobody can sign up with a synthetic address either. */
export function refuseForeignDomain({ authentication }: Settings, email: string): void {
  const allowed = authentication.email_signup_domain_allowlist.map(asDomain)
  const domain = domainOf(email)
  if (!isSynthetic(email) && (allowed.length === 0 || allowed.includes(domain))) return
  throw new Refusal('EMAIL_DOMAIN_NOT_ALLOWED', `Addresses at ${domain} cannot be used to sign up here.`)
}

/** A synthetic address has no mailbox, so the administrator cannot write to it either. */
export function refuseSynthetic(email: string): void {
  if (isSynthetic(email)) throw new Refusal('EMAIL_DOMAIN_NOT_ALLOWED', 'Mail cannot be delivered to this address.')
}

function asDomain(entry: string): string {
  return entry.trim().toLowerCase().replace(/^@/, '')
}

export function emailNotVerified(): Refusal {
  return new Refusal('EMAIL_NOT_VERIFIED', 'Enter the code from your mail first.')
}
