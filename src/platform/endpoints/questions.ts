import type { Config } from '../../config/config.ts'
import type { Log } from '../log/log.ts'
import { RepeatedFailure } from '../log/repeated-failure.ts'
import type { Names } from '../names/names.ts'
import { addressesOutside } from '../public-addresses.ts'
import { type Answered, Transport } from './transport.ts'

/** What a receiver can take of this process at once; one that hangs must not hold more. */
const MOST_AT_ONCE = 100
/** Past half of them one asker has at most this many, so that one user leaves room for the others. */
const MOST_OF_ONE = 10
const BYTES = 8 * 1024
const KEPT_ANSWERS = 10

export interface KeptAnswer {
  /** The question's, as the receiver got it. */
  readonly id: string
  readonly at: number
  readonly milliseconds: number
  readonly status: number | null
  readonly outcome: 'allowed' | 'refused' | 'failed'
  readonly error: string | null
}

interface Question {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whom it is about, or from where they come; unknown on this machine. */
  readonly asker?: string | undefined
  readonly milliseconds: number
}

export class TooManyQuestions extends Error {
  override readonly name = 'TooManyQuestions'
}

/** Questions to the product's hooks: those under way in this process, and how the last ones ended. */
export class Questions {
  readonly #transport: Transport
  /** A process that stops still gets the answers that its last requests need. */
  readonly #never = new AbortController().signal
  readonly #last = new Map<string, KeptAnswer[]>()
  readonly #failures = new Map<string, RepeatedFailure>()
  readonly #log: Log
  readonly #ofAskers = new Map<string, number>()
  #underWay = 0

  constructor({ webhookNetworks }: Pick<Config, 'webhookNetworks'>, names: Names, log: Log) {
    this.#log = log
    this.#transport = new Transport(addressesOutside(webhookNetworks), names)
  }

  /** Rejects at once if too many are under way. */
  async ask({ url, headers, body, milliseconds, asker = '' }: Question): Promise<Answered> {
    const own = this.#ofAskers.get(asker) ?? 0
    const most = own < MOST_OF_ONE || asker === '' ? MOST_AT_ONCE : MOST_AT_ONCE / 2
    if (this.#underWay >= most) throw new TooManyQuestions()
    this.#count(asker, 1)
    try {
      const posted = { url, headers: { 'user-agent': 'Gatehouse-Hooks/1', ...headers }, body }
      return await this.#transport.ask(posted, { milliseconds, bytes: BYTES }, this.#never)
    } finally {
      this.#count(asker, -1)
    }
  }

  #count(asker: string, change: 1 | -1): void {
    this.#underWay += change
    const own = (this.#ofAskers.get(asker) ?? 0) + change
    if (own === 0) this.#ofAskers.delete(asker)
    else this.#ofAskers.set(asker, own)
  }

  /** The newest first. */
  lastOf(hook: string): readonly KeptAnswer[] {
    return this.#last.get(hook) ?? []
  }

  keep(hook: string, answer: KeptAnswer): void {
    this.#last.set(hook, [answer, ...this.lastOf(hook)].slice(0, KEPT_ANSWERS))
    const failure = this.#failureOf(hook)
    const { outcome, error, status } = answer
    if (outcome !== 'failed') failure.ended()
    else failure.failed(status === null ? error : `${error}: ${status}`, 'warn')
  }

  /** A receiver that is down fails for everybody, so its failure is one line until it ends. */
  #failureOf(hook: string): RepeatedFailure {
    const words = { failed: 'a hook failed', ended: 'a hook answers again' }
    const failure = this.#failures.get(hook) ?? new RepeatedFailure(this.#log.child({ hook }), words)
    this.#failures.set(hook, failure)
    return failure
  }

  close(): void {
    this.#transport.close()
  }
}
