import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { MOST_MEMORY_BYTES, MOST_WORK_BYTES, type ReadForeign } from './foreign-hash.ts'

/** `$argon2id$v=19$m=65536,t=3,p=4$<salt>$<key>` (RFC 9106). */
const STORED =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,172})$/

const derive = promisify(argon2)

export const argon2id: ReadForeign = (stored) => {
  const [found, m, t, p, salt = '', key = ''] = STORED.exec(stored) ?? []
  if (found === undefined) return undefined
  const [memory, passes, parallelism] = [Number(m), Number(t), Number(p)]
  const bytes = memory * 1024
  if (passes === 0 || parallelism === 0 || memory < 8 * parallelism) return undefined
  if (bytes > MOST_MEMORY_BYTES || bytes * passes > MOST_WORK_BYTES) return undefined
  const expected = Buffer.from(key, 'base64')
  const cost = { memory, passes, parallelism, nonce: Buffer.from(salt, 'base64'), tagLength: expected.length }
  return {
    verify: async (message) => timingSafeEqual(await derive('argon2id', { ...cost, message }), expected),
  }
}
