import { MINUTE_MILLISECONDS } from '../../rules/time.ts'
import type { Log } from './log.ts'

interface Words {
  readonly failed: string
  readonly ended: string
}

const REASONS_AT_MOST = 10

/**
 * The failure of something that is tried again and again. It is logged when it begins, for each further reason, and when
 * it has ended; every time only at the level `debug`. One that comes and goes is logged again only after a minute
 * without it, or once it has lasted for one.
 */
export class RepeatedFailure {
  readonly #log: Log
  readonly #words: Words
  readonly #reasons = new Set<string>()
  #times = 0
  #isShown = false
  #since = 0
  #endedAt = Number.NEGATIVE_INFINITY

  constructor(log: Log, words: Words) {
    this.#log = log
    this.#words = words
  }

  failed(error: unknown, level: 'warn' | 'error'): void {
    const now = performance.now()
    if (this.#times === 0) this.#begin(now)
    this.#times++
    const isShown = this.#isNew(reasonOf(error), now)
    this.#isShown ||= isShown
    this.#log[isShown ? level : 'debug']({ error }, this.#words.failed)
  }

  ended(): void {
    if (this.#times === 0) return
    this.#log[this.#isShown ? 'info' : 'debug']({ failures: this.#times }, this.#words.ended)
    this.#times = 0
    this.#endedAt = performance.now()
  }

  #begin(now: number): void {
    this.#since = now
    this.#isShown = false
    if (now - this.#endedAt >= MINUTE_MILLISECONDS) this.#reasons.clear()
  }

  #isNew(reason: string, now: number): boolean {
    const isLasting = !this.#isShown && now - this.#since >= MINUTE_MILLISECONDS
    if (this.#reasons.has(reason) || this.#reasons.size >= REASONS_AT_MOST) return isLasting
    this.#reasons.add(reason)
    return true
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error} ${error.cause}` : String(error)
}
