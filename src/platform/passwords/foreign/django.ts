import { createHash, pbkdf2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { argon2id } from './argon2id.ts'
import { bcrypt } from './bcrypt.ts'
import type { ReadForeign } from './foreign-hash.ts'
import { isAffordable, isScryptOf } from './scrypt.ts'

// Django writes the name of the algorithm first, and a salt of its own as text.
const PBKDF2 = /^pbkdf2_sha256\$(\d{1,8})\$([^$]{1,128})\$([A-Za-z0-9+/]{43}=)$/
const SCRYPT = /^scrypt\$(\d{1,8})\$([^$]{1,128})\$(\d{1,3})\$(\d{1,3})\$([A-Za-z0-9+/]{22,172}={0,2})$/
const ARGON2 = 'argon2$'
const BCRYPT = 'bcrypt$'
const BCRYPT_OF_SHA256 = 'bcrypt_sha256$'

/** About two seconds of one core; Django 5.2 takes a million. */
const MOST_ITERATIONS = 4_000_000

const derive = promisify(pbkdf2)

export const django: ReadForeign = (stored) => {
  if (stored.startsWith(ARGON2)) return argon2id(`$${stored.slice(ARGON2.length)}`)
  if (stored.startsWith(BCRYPT)) return bcrypt(stored.slice(BCRYPT.length))
  if (stored.startsWith(BCRYPT_OF_SHA256)) return bcryptOfSha256(stored.slice(BCRYPT_OF_SHA256.length))
  return pbkdf2Text(stored) ?? scryptOfDjango(stored)
}

const pbkdf2Text: ReadForeign = (stored) => {
  const [, digits, salt = '', base64 = ''] = PBKDF2.exec(stored) ?? []
  const iterations = Number(digits ?? 0)
  if (iterations === 0 || iterations > MOST_ITERATIONS) return undefined
  const key = Buffer.from(base64, 'base64')
  return {
    verify: async (password) => timingSafeEqual(await derive(password, salt, iterations, key.length, 'sha256'), key),
  }
}

const scryptOfDjango: ReadForeign = (stored) => {
  const [, n, salt = '', r, p, base64] = SCRYPT.exec(stored) ?? []
  const cost = { N: Number(n), r: Number(r), p: Number(p) }
  if (base64 === undefined || !Number.isInteger(Math.log2(cost.N)) || !isAffordable(cost)) return undefined
  const key = Buffer.from(base64, 'base64')
  return { verify: (password) => isScryptOf(password, Buffer.from(salt), cost, key) }
}

/** The digest comes first, so that bcrypt's limit of 72 bytes cuts no password. */
const bcryptOfSha256: ReadForeign = (stored) => {
  const inner = bcrypt(stored)
  return (
    inner && {
      verify: (password, unseal) => inner.verify(createHash('sha256').update(password).digest('hex'), unseal),
    }
  )
}
