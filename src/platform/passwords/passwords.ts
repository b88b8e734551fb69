import { pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { FairQueue } from './fair-queue.ts'
import { foreignHash } from './foreign/foreign.ts'
import type { Unseal } from './foreign/foreign-hash.ts'

/** `<salt_hex>:<key_hex>`, PBKDF2-HMAC-SHA-1; a bounded queue, so that hashing never crowds out requests. */
export interface Passwords {
  hash(password: string, requester: Requester): Promise<string>
  /** Costs the same without a stored hash, and then returns false. */
  verify(password: string, stored: string | undefined, requester: Requester): Promise<boolean>
  /** Throws `QueueFull` if there is no room for this requester, before anything else is done for them. */
  refuseIfFull(requester: Requester): void
  /** Runs before the process stops: everything waiting, and everything after, is refused with `QueueFull`. */
  end(): void
  /** True for a hash that came with an import; it is replaced after the first sign-in. */
  isForeign(stored: string): boolean
  /** Jobs waiting for a core. */
  readonly waiting: number
}

/** Neighbourhood, network and account for which a password is hashed; each level takes turns. */
export type Requester = readonly [neighbourhood: string, network: string, account: string]

/** The operator, on the server itself. */
export const OPERATOR: Requester = ['operator', 'operator', 'operator']

/** Their checks can take two seconds each, so all of them together get the turns of one neighbourhood. */
const IMPORTED: Requester = ['imported', 'imported', 'imported']

interface Options {
  readonly iterations: number
  /** Decrypts imported hashes that contain a secret of another service. */
  readonly unseal?: Unseal
  readonly atOnce?: number
  readonly waitingAtMost?: number
  /** Lets a test decide when a hash is done. */
  readonly derive?: typeof deriveKey
}

const SALT_BYTES = 8
// SHA-1 gives 20 bytes; a longer key would double our cost and not an attacker's.
const KEY_BYTES = 20
const STORED = new RegExp(`^([0-9a-f]{${SALT_BYTES * 2}}):([0-9a-f]{${KEY_BYTES * 2}})$`)
// An unknown address costs the same comparison; no password is known to give this key.
const NOBODY = `${'0'.repeat(SALT_BYTES * 2)}:${'0'.repeat(KEY_BYTES * 2)}`
// About ten seconds of work for each core at the default cost; half of it for one network, an eighth for one
// account in it.
const WAITING_FOR_EACH_CORE = 64
const SHARES = [2, 2, 8]
// The queue can be this many times longer if each extra caller is the first of its neighbourhood: at most 40
// seconds of work.
const NEWCOMERS = 4

/** Leaves one core free for everything else. */
export function hashesAtOnce(): number {
  return Math.max(1, availableParallelism() - 1)
}

const deriveKey = promisify(pbkdf2)

export function pbkdf2Passwords({ iterations, unseal = refuseToUnseal, ...limits }: Options): Passwords {
  const atOnce = limits.atOnce ?? hashesAtOnce()
  const waiting = limits.waitingAtMost ?? atOnce * WAITING_FOR_EACH_CORE
  const waitingByLevel = SHARES.map((share) => Math.max(1, Math.floor(waiting / share)))
  const waitingWithNewcomers = waiting * NEWCOMERS
  const derive = limits.derive ?? deriveKey
  const bounds = { atOnce, waiting, waitingWithNewcomers, waitingByLevel }
  const [queue, imported] = [new FairQueue(bounds), new FairQueue(bounds)]
  const keyOf = (password: string, salt: Buffer, requester: Requester) =>
    queue.run(requester, () => derive(password, salt, iterations, KEY_BYTES, 'sha1'))

  return {
    async hash(password, requester) {
      const salt = randomBytes(SALT_BYTES)
      const key = await keyOf(password, salt, requester)
      return `${salt.toString('hex')}:${key.toString('hex')}`
    },

    async verify(password, stored = NOBODY, requester) {
      const foreign = foreignHash(stored)
      if (foreign) return imported.run(requester, () => queue.run(IMPORTED, () => foreign.verify(password, unseal)))
      const [, salt, key] = STORED.exec(stored) ?? []
      if (salt === undefined || key === undefined) throw new Error('a stored password hash is malformed')
      const derived = await keyOf(password, Buffer.from(salt, 'hex'), requester)
      const isSame = timingSafeEqual(derived, Buffer.from(key, 'hex'))
      return isSame && stored !== NOBODY
    },

    refuseIfFull: (requester) => queue.refuseIfFull(requester),

    end() {
      for (const each of [imported, queue]) each.end()
    },

    isForeign: (stored) => foreignHash(stored) !== undefined,

    get waiting() {
      return queue.waiting + imported.waiting
    },
  }
}

function refuseToUnseal(): never {
  throw new Error('nothing sealed can be opened here')
}
