import { scrypt, timingSafeEqual } from 'node:crypto'
import { MOST_MEMORY_BYTES, MOST_WORK_BYTES, type ReadForeign } from './foreign-hash.ts'

/** `<salt_hex>:<key_hex>` as better-auth writes it; longer than ours, so the two cannot be confused. */
const OF_BETTER_AUTH = /^([0-9a-f]{32}):([0-9a-f]{128})$/
const COST_OF_BETTER_AUTH = { N: 16_384, r: 16, p: 1 }

/** The salt is used as its hexadecimal digits, not as bytes: better-auth hashes it that way. */
export const betterAuth: ReadForeign = (stored) => {
  const [, salt = '', hex] = OF_BETTER_AUTH.exec(stored) ?? []
  if (hex === undefined) return undefined
  const key = Buffer.from(hex, 'hex')
  return {
    verify: (password) => isScryptOf(password.normalize('NFKC'), Buffer.from(salt), COST_OF_BETTER_AUTH, key),
  }
}

/** `$scrypt$ln=14,r=8,p=1$<salt>$<key>`, as passlib and others write it. */
const TEXT =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{0,128}={0,2})\$([A-Za-z0-9+/]{22,172}={0,2})$/

export const scryptText: ReadForeign = (stored) => {
  const [, ln, r, p, salt = '', base64] = TEXT.exec(stored) ?? []
  const cost = { N: 2 ** Number(ln), r: Number(r), p: Number(p) }
  if (base64 === undefined || !isAffordable(cost)) return undefined
  const key = Buffer.from(base64, 'base64')
  return { verify: (password) => isScryptOf(password, Buffer.from(salt, 'base64'), cost, key) }
}

interface ScryptCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

export function isAffordable({ N, r, p }: ScryptCost): boolean {
  const memory = 128 * N * r
  // RFC 7914 has no more turns than this for blocks of that size, and Node refuses them.
  const isPossible = N > 1 && N < 2 ** (16 * r) && r > 0 && p > 0
  return isPossible && memory <= MOST_MEMORY_BYTES && memory * p <= MOST_WORK_BYTES
}

export async function isScryptOf(password: string, salt: Buffer, cost: ScryptCost, key: Buffer): Promise<boolean> {
  return timingSafeEqual(await scryptOf(password, salt, cost, key.length), key)
}

export function scryptOf(password: string, salt: Buffer, cost: ScryptCost, bytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { ...cost, maxmem: 2 * MOST_MEMORY_BYTES }
    scrypt(password, salt, bytes, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}
