import type { ForeignHash } from './foreign-hash.ts'
import { isScryptOf } from './scrypt.ts'

/** `<salt_hex>:<key_hex>` as better-auth writes it; longer than ours, so the two cannot be confused. */
const STORED = /^([0-9a-f]{32}):([0-9a-f]{128})$/
const COST = { N: 16_384, r: 16, p: 1 }

export const betterAuth: ForeignHash = {
  isOne: (stored) => STORED.test(stored),

  /** The salt is used as its hexadecimal digits, not as bytes: better-auth hashes it that way. */
  verify(password, stored) {
    const [, salt = '', key = ''] = STORED.exec(stored) ?? []
    return isScryptOf(password.normalize('NFKC'), Buffer.from(salt), COST, Buffer.from(key, 'hex'))
  },
}
