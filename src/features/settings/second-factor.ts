import type { Factors, Role } from '../../rules/caller.ts'
import type { Settings } from './model.ts'

/** Whether a user of this role has to have a second factor. */
export function requiresFactor({ second_factor }: Settings['authentication'], role: Role): boolean {
  return (
    second_factor === 'required' ||
    (second_factor === 'required_for_administrator' && role === 'administrator')
  )
}

interface Standing {
  readonly role: Role
  readonly factors: Factors
}

/** Such a user is refused everything but adding a factor. */
export function lacksRequiredFactor(settings: Settings['authentication'], { role, factors }: Standing) {
  return factors === '' && requiresFactor(settings, role)
}

/** A passkey counts as both factors, so that switching factors off leaves nothing to sign up with but a password. */
export function allowsPasskeySignUp({
  passkey_sign_up_enabled,
  second_factor,
}: Settings['authentication']): boolean {
  return passkey_sign_up_enabled && second_factor !== 'off'
}
