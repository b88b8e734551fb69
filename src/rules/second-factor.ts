import type { Factors, Role } from './caller.ts'
import { isStaff } from './staff.ts'

interface Rule {
  readonly second_factor: 'off' | 'optional' | 'required_for_administrator' | 'required'
}

interface Member {
  readonly role: Role
  readonly staff_scopes: string | null
}

/** True if the user must have a second factor. What is required of the administrator is required of staff. */
export function requiresFactor({ second_factor }: Rule, user: Member): boolean {
  if (second_factor !== 'required_for_administrator') return second_factor === 'required'
  return user.role === 'administrator' || isStaff(user)
}

interface Factored extends Member {
  readonly factors: Factors
}

/** True if the user can do nothing but add a factor. */
export function lacksRequiredFactor(rule: Rule, user: Factored) {
  return user.factors === '' && requiresFactor(rule, user)
}

/** A passkey counts as both factors, so if second factors are off, only a password is left to sign up with. */
export function allowsPasskeySignUp({
  passkey_sign_up_enabled,
  second_factor,
}: Rule & { readonly passkey_sign_up_enabled: boolean }): boolean {
  return passkey_sign_up_enabled && second_factor !== 'off'
}
