import { createCipheriv, timingSafeEqual } from 'node:crypto'
import type { ReadForeign } from './foreign-hash.ts'
import { isAffordable, scryptOf } from './scrypt.ts'

/**
 * `$firebase$ln=14,r=8$<salt separator>$<salt>$<hash>$<sealed signer key>`: the project's parameters beside each
 * password, the signer key sealed, because it is a secret.
 */
const STORED =
  /^\$firebase\$ln=(\d{1,2}),r=(\d{1,3})\$([A-Za-z0-9+/]{0,32}={0,2})\$([A-Za-z0-9+/]{1,128}={0,2})\$([A-Za-z0-9+/]{40,172}={0,2})\$([A-Za-z0-9._-]+)$/
const KEY_BYTES = 32

/** Firebase's scrypt derives a key, which encrypts the project's signer key; the result is stored. */
export const firebase: ReadForeign = (stored) => {
  const [, ln, r, separator = '', salt = '', hash = '', sealed] = STORED.exec(stored) ?? []
  const cost = { N: 2 ** Number(ln), r: Number(r), p: 1 }
  if (sealed === undefined || !isAffordable(cost)) return undefined
  const whole = Buffer.concat([Buffer.from(salt, 'base64'), Buffer.from(separator, 'base64')])
  return {
    sealed,
    async verify(password, unseal) {
      const key = await scryptOf(password, whole, cost, KEY_BYTES)
      const signerKey = unseal(sealed)
      // No password fits any more. The user can reset it.
      if (signerKey === undefined) return false
      const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
      const made = Buffer.concat([cipher.update(Buffer.from(signerKey, 'base64')), cipher.final()])
      const expected = Buffer.from(hash, 'base64')
      return made.length === expected.length && timingSafeEqual(made, expected)
    },
  }
}
