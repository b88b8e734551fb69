import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
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
    // In the build, both are files side by side.
    const name = import.meta.url.endsWith('.ts') ? './bcrypt-thread.ts' : './bcrypt-thread.mjs'
    const worker = new Worker(new URL(name, import.meta.url), { workerData: { password, stored } })
    const [isRight] = await once(worker, 'message')
    return isRight === true
  },
}
