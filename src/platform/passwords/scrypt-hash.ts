import { scrypt, timingSafeEqual } from 'node:crypto'

/** `<salt_hex>:<key_hex>` as better-auth writes it; longer than ours, so neither is taken for the other. */
const STORED = /^([0-9a-f]{32}):([0-9a-f]{128})$/
const COST = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 }
const KEY_BYTES = 64

export function isScryptHash(stored: string): boolean {
  return STORED.test(stored)
}

/** The salt is used as its hexadecimal digits, not as bytes: better-auth hashes it that way. */
export function verifyScrypt(password: string, stored: string): Promise<boolean> {
  const [, salt = '', key = ''] = STORED.exec(stored) ?? []
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, COST, (error, made) => {
      if (error) reject(error)
      else resolve(timingSafeEqual(made, Buffer.from(key, 'hex')))
    })
  })
}
