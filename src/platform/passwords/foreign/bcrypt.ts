import { once } from 'node:events'
import { ownCode, startThread } from '../../../config/own-files.ts'
import type { ReadForeign } from './foreign-hash.ts'

const STORED = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/
const FEWEST_ROUNDS = 4
/** The work doubles with each step; this one is about one second. */
const MOST_ROUNDS = 13

/** Node has no bcrypt, and one in JavaScript would block every request, so each check gets a thread. */
export const bcrypt: ReadForeign = (stored) => {
  const rounds = Number(STORED.exec(stored)?.[1] ?? 0)
  if (rounds < FEWEST_ROUNDS || rounds > MOST_ROUNDS) return undefined
  return {
    async verify(password) {
      const worker = startThread(ownCode('./bcrypt-thread', import.meta.url), { password, stored })
      const [isRight] = await once(worker, 'message')
      return isRight === true
    },
  }
}
