import type { Role } from '../../rules/caller.ts'
import type { Settings } from './model.ts'

/** Whether a user of this role has to have a second factor. */
export function requiresFactor({ second_factor }: Settings['authentication'], role: Role): boolean {
  return (
    second_factor === 'required' ||
    (second_factor === 'required_for_administrator' && role === 'administrator')
  )
}

/** A passkey counts as both factors, so that switching factors off leaves nothing to sign up with but a password. */
export function allowsPasskeySignUp({
  passkey_sign_up_enabled,
  second_factor,
}: Settings['authentication']): boolean {
  return passkey_sign_up_enabled && second_factor !== 'off'
}
