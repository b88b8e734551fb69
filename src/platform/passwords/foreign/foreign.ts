import type { Log } from '../../log/log.ts'
import { openIfOurs, type SecretBox } from '../../secrets/secret-box.ts'
import { argon2id } from './argon2id.ts'
import { bcrypt } from './bcrypt.ts'
import { django } from './django.ts'
import { firebase } from './firebase.ts'
import type { ForeignHash, Unseal } from './foreign-hash.ts'
import { betterAuth, scryptText } from './scrypt.ts'

/** The purpose for which Firebase's signer key is sealed. */
export const IMPORTED_PASSWORD = 'imported password'

export function foreignHash(stored: string): ForeignHash | undefined {
  return (
    betterAuth(stored) ?? bcrypt(stored) ?? argon2id(stored) ?? scryptText(stored) ?? firebase(stored) ?? django(stored)
  )
}

/** Sealed with this installation's own key. Without it, no password fits; only the operator is told why. */
export function unsealing(secretBox: SecretBox, log: Log): Unseal {
  return (sealed) => {
    const secret = openIfOurs(secretBox, IMPORTED_PASSWORD, sealed)
    if (secret !== undefined) return secret
    log.warn(
      {},
      'an imported password was refused: it was sealed under another key; put the former CONFIG_ENCRYPTION_KEY or secrets.json back, or let its user reset it',
    )
    return undefined
  }
}
