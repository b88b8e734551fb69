import { argon2id } from './argon2id.ts'
import { bcrypt } from './bcrypt.ts'
import { betterAuth } from './better-auth.ts'
import { firebase } from './firebase.ts'
import { scryptText } from './scrypt-text.ts'

/** A form in which another service stored its passwords. */
export interface ForeignHash {
  /** Checks its form and its cost: what would take too much memory or time is refused. */
  isOne(stored: string): boolean
  verify(password: string, stored: string, unseal: Unseal): Promise<boolean>
}

/** Opens what was sealed when it was imported. */
export type Unseal = (sealed: string) => string

/** What the signer key of Firebase is sealed for. */
export const IMPORTED_PASSWORD = 'imported password'

const FORMS: readonly ForeignHash[] = [betterAuth, bcrypt, argon2id, scryptText, firebase]

export function foreignHash(stored: string): ForeignHash | undefined {
  return FORMS.find((form) => form.isOne(stored))
}
