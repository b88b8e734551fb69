import { once } from 'node:events'
import { ownCode, startThread } from '../../../config/own-files.ts'
import { MOST_BCRYPT_ROUNDS } from './bounds.ts'
import type { ForeignHash } from './foreign-hash.ts'

const STORED = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/
const FEWEST_ROUNDS = 4

/** Node has no bcrypt, and one in JavaScript would block every request, so each check gets a thread. */
export const bcrypt: ForeignHash = {
  isOne(stored) {
    const rounds = Number(STORED.exec(stored)?.[1] ?? 0)
    return rounds >= FEWEST_ROUNDS && rounds <= MOST_BCRYPT_ROUNDS
  },

  async verify(password, stored) {
    const worker = startThread(ownCode('./bcrypt-thread', import.meta.url), { password, stored })
    const [isRight] = await once(worker, 'message')
    return isRight === true
  },
}
