import type { Log } from './log.ts'

interface Words {
  readonly failed: string
  readonly ended: string
}

/**
 * The failure of something that is tried again and again. It is logged when it begins, when its reason changes, and when
 * it has ended; every time only at the level `debug`.
 */
export class RepeatedFailure {
  readonly #log: Log
  readonly #words: Words
  #reason: string | undefined
  #times = 0

  constructor(log: Log, words: Words) {
    this.#log = log
    this.#words = words
  }

  failed(error: unknown, level: 'warn' | 'error'): void {
    const reason = reasonOf(error)
    const isKnown = reason === this.#reason
    this.#reason = reason
    this.#times++
    this.#log[isKnown ? 'debug' : level]({ error }, this.#words.failed)
  }

  ended(): void {
    if (this.#times === 0) return
    this.#log.info({ failures: this.#times }, this.#words.ended)
    this.#reason = undefined
    this.#times = 0
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error} ${error.cause}` : String(error)
}
