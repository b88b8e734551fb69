import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { MOST_MEMORY_BYTES, MOST_WORK_BYTES } from './bounds.ts'
import type { ForeignHash } from './foreign-hash.ts'

/** `$argon2id$v=19$m=65536,t=3,p=4$<salt>$<key>` (RFC 9106). */
const STORED =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,172})$/

const derive = promisify(argon2)

export const argon2id: ForeignHash = {
  isOne(stored) {
    if (!STORED.test(stored)) return false
    const { memory, passes, parallelism } = costOf(stored)
    const bytes = memory * 1024
    const isPossible = passes > 0 && parallelism > 0 && memory >= 8 * parallelism
    return isPossible && bytes <= MOST_MEMORY_BYTES && bytes * passes <= MOST_WORK_BYTES
  },

  async verify(password, stored) {
    const [, , , , salt = '', key = ''] = STORED.exec(stored) ?? []
    const expected = Buffer.from(key, 'base64')
    const nonce = Buffer.from(salt, 'base64')
    const given = { ...costOf(stored), message: password, nonce, tagLength: expected.length }
    return timingSafeEqual(await derive('argon2id', given), expected)
  },
}

function costOf(stored: string) {
  const [, memory, passes, parallelism] = STORED.exec(stored) ?? []
  return { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
}
