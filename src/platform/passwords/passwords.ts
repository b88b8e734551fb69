import { pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { isScryptHash, verifyScrypt } from './scrypt-hash.ts'

/** `<salt_hex>:<key_hex>`, PBKDF2-HMAC-SHA-1; a bounded queue, so that hashing never crowds out requests. */
export interface Passwords {
  hash(password: string): Promise<string>
  /** Without a stored hash it costs the same and is false. */
  verify(password: string, stored: string | undefined): Promise<boolean>
  /** It came with an import: right once, then to be hashed anew. */
  isForeign(stored: string): boolean
  /** Jobs waiting for a core. */
  readonly waiting: number
}

/** The queue is full: answered as 503. */
export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy'
}

interface Options {
  readonly iterations: number
  readonly atOnce?: number
  readonly waitingAtMost?: number
}

const SALT_BYTES = 8
// SHA-1 gives 20; more would cost us double and an attacker nothing.
const KEY_BYTES = 20
const STORED = new RegExp(`^([0-9a-f]{${SALT_BYTES * 2}}):([0-9a-f]{${KEY_BYTES * 2}})$`)
// An unknown address costs the same comparison; no password is known to give this key.
const NOBODY = `${'0'.repeat(SALT_BYTES * 2)}:${'0'.repeat(KEY_BYTES * 2)}`
// About ten seconds of work for each core at the default cost.
const WAITING_FOR_EACH_CORE = 64

/** One core stays free for everything else. */
export function hashesAtOnce(): number {
  return Math.max(1, availableParallelism() - 1)
}

const derive = promisify(pbkdf2)

export function pbkdf2Passwords({ iterations, ...limits }: Options): Passwords {
  const atOnce = limits.atOnce ?? hashesAtOnce()
  const queue = new BoundedQueue(atOnce, limits.waitingAtMost ?? atOnce * WAITING_FOR_EACH_CORE)
  const keyOf = (password: string, salt: Buffer) =>
    queue.run(() => derive(password, salt, iterations, KEY_BYTES, 'sha1'))

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES)
      const key = await keyOf(password, salt)
      return `${salt.toString('hex')}:${key.toString('hex')}`
    },

    async verify(password, stored = NOBODY) {
      if (isScryptHash(stored)) return queue.run(() => verifyScrypt(password, stored))
      const [, salt, key] = STORED.exec(stored) ?? []
      if (salt === undefined || key === undefined) throw new Error('a stored password hash is malformed')
      const isSame = timingSafeEqual(await keyOf(password, Buffer.from(salt, 'hex')), Buffer.from(key, 'hex'))
      return isSame && stored !== NOBODY
    },

    isForeign: isScryptHash,

    get waiting() {
      return queue.waiting
    },
  }
}

/** First come, first served; refuses rather than grow. */
class BoundedQueue {
  readonly #atOnce: number
  readonly #waitingAtMost: number
  readonly #turns: (() => void)[] = []
  #running = 0

  constructor(atOnce: number, waitingAtMost: number) {
    this.#atOnce = atOnce
    this.#waitingAtMost = waitingAtMost
  }

  get waiting(): number {
    return this.#turns.length
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#turn()
    try {
      return await work()
    } finally {
      this.#passOn()
    }
  }

  async #turn(): Promise<void> {
    if (this.#running < this.#atOnce) {
      this.#running++
      return
    }
    if (this.#turns.length >= this.#waitingAtMost)
      throw new PasswordsBusy('too many passwords to hash at once')
    await new Promise<void>((resolve) => this.#turns.push(resolve))
  }

  /** The place goes straight to the next one, so nobody slips in between. */
  #passOn(): void {
    const next = this.#turns.shift()
    if (next) next()
    else this.#running--
  }
}
