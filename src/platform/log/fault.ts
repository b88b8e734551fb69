import { NoHostServes, StoreUnavailable } from '../../database/store.ts'
import type { Log } from './log.ts'

/** The thing that failed: a store, or the key-value store. */
export interface Dependency {
  readonly name: string
  /** Host and port, or the file. */
  readonly at: string
  ping(): Promise<void>
}

const ASK_AGAIN_MILLISECONDS = 2_000
const MEANINGS_AT_MOST = 10

/** Within the reply to a script, which says more. */
const REDIS_CODE = /\b(READONLY|OOM|MISCONF|NOREPLICAS)\b/

/**
 * One line when a fault begins, one for each further meaning, and one when it is over, however many requests fail
 * because of it.
 */
export class Fault {
  readonly #part: Dependency
  readonly #log: Log
  readonly #meanings = new Set<string>()
  #failures = 0
  #since = 0

  constructor(part: Dependency, log: Log) {
    this.#part = part
    this.#log = log
  }

  failed(error: Error): void {
    const { name: store, at } = this.#part
    const cause = causeOf(error)
    const meaning = meaningOf(cause)
    this.#failures++
    if (this.#meanings.has(meaning) || this.#meanings.size >= MEANINGS_AT_MOST) return
    if (this.#meanings.size === 0) {
      this.#since = performance.now()
      this.#askAgain()
    }
    this.#meanings.add(meaning)
    this.#log.error({ store, at, cause: cause.message }, `${store} at ${at} is not available: ${meaning}`)
  }

  #askAgain(): void {
    setTimeout(() => {
      this.#part.ping().then(
        () => this.#ended(),
        () => this.#askAgain(),
      )
    }, ASK_AGAIN_MILLISECONDS).unref()
  }

  #ended(): void {
    const { name: store, at } = this.#part
    const seconds = Math.round((performance.now() - this.#since) / 1000)
    this.#log.info({ store, at, seconds, failures: this.#failures }, `${store} at ${at} is available again`)
    this.#meanings.clear()
    this.#failures = 0
  }
}

type Cause = Error & { readonly code?: unknown; readonly errcode?: unknown }

/** The first thing that went wrong. */
function causeOf(error: Error): Cause {
  const { cause } = error
  if (!(cause instanceof Error)) return error
  return cause instanceof StoreUnavailable ? causeOf(cause) : cause
}

const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'nothing listens there; is the server running?'],
  ['ECONNRESET', 'the connection was cut'],
  ['EHOSTUNREACH', 'there is no route to it'],
  ['ENETUNREACH', 'there is no route to it'],
  ['ENOTFOUND', 'the DNS does not know its name'],
  ['EAI_AGAIN', 'the DNS does not respond'],
  ['ETIMEDOUT', 'it does not respond'],
  ['28000', 'it does not accept the user'],
  ['28P01', 'it does not accept the password'],
  ['3D000', 'the database does not exist'],
  ['3F000', 'the schema does not exist'],
  ['25006', 'it accepts no writes'],
  ['53100', 'its disk is full, so it accepts no writes'],
  ['53300', 'it has no connection left'],
  ['40P01', 'two writes waited for each other'],
  ['55P03', 'a write waited too long for another'],
  ['57014', 'a statement took too long'],
  ['57P01', 'it was stopped'],
  ['57P03', 'it is starting or stopping'],
  ['5', 'another process writes for a long time'],
  ['8', 'its file is read-only'],
  ['13', 'its disk is full, so it accepts no writes'],
  ['26', 'the file is not a database'],
  ['READONLY', 'it is a replica, so it accepts no writes'],
  ['OOM', 'its memory is used up, so it accepts no writes'],
  ['MISCONF', 'it cannot save its data, so it accepts no writes'],
  ['NOREPLICAS', 'it has too few replicas, so it accepts no writes'],
])

/** The cause in words that help an operator at night. */
function meaningOf(cause: Cause): string {
  if (cause instanceof NoHostServes)
    return cause.hosts.map(({ at, reason }) => `${at}: ${meaningOf(reason)}`).join('; ')
  const { message, code, errcode } = cause
  const codes = [code, typeof errcode === 'number' && errcode % 256, REDIS_CODE.exec(message)?.[0]]
  const known = codes.map((one) => MEANINGS.get(String(one))).find((meaning) => meaning !== undefined)
  if (known !== undefined) return known
  if (/timed? ?out|timeout|no response/i.test(message)) return 'it does not respond'
  if (/terminated|closed|ended|connection error/i.test(message)) return 'the connection was cut'
  return message
}
