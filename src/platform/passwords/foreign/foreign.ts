import { argon2id } from './argon2id.ts'
import { bcrypt } from './bcrypt.ts'
import { betterAuth } from './better-auth.ts'
import { firebase } from './firebase.ts'
import type { ForeignHash } from './foreign-hash.ts'
import { scryptText } from './scrypt-text.ts'

/** The purpose for which Firebase's signer key is sealed. */
export const IMPORTED_PASSWORD = 'imported password'

const FORMS: readonly ForeignHash[] = [betterAuth, bcrypt, argon2id, scryptText, firebase]

export function foreignHash(stored: string): ForeignHash | undefined {
  return FORMS.find((form) => form.isOne(stored))
}
