import type { Factors, Role } from '../../../rules/caller.ts'
import { isSynthetic } from '../../../rules/email.ts'
import type { Settings } from './model.ts'

interface Addressed {
  readonly email: string
  readonly email_verified: number
}

/** True if the user can do nothing but verify the address. A synthetic one has no mailbox. */
export function lacksRequiredVerification(
  { email_verification_required }: Settings['authentication'],
  { email, email_verified }: Addressed,
): boolean {
  return email_verification_required && email_verified === 0 && !isSynthetic(email)
}

/** True if a user with this role must have a second factor. */
export function requiresFactor({ second_factor }: Settings['authentication'], role: Role): boolean {
  return second_factor === 'required' || (second_factor === 'required_for_administrator' && role === 'administrator')
}

interface Factored {
  readonly role: Role
  readonly factors: Factors
}

/** True if the user can do nothing but add a factor. */
export function lacksRequiredFactor(settings: Settings['authentication'], { role, factors }: Factored) {
  return factors === '' && requiresFactor(settings, role)
}

/** A passkey counts as both factors, so if second factors are off, only a password is left to sign up with. */
export function allowsPasskeySignUp({ passkey_sign_up_enabled, second_factor }: Settings['authentication']): boolean {
  return passkey_sign_up_enabled && second_factor !== 'off'
}
