import { AsyncLocalStorage } from 'node:async_hooks'

/** Counts what one act sends to its stores, beside everything else that uses them. */
export class NumberedAct {
  readonly #acts = new AsyncLocalStorage<true>()
  #wanted = 0
  #sent = 0

  /** Runs the act, and looks for what it sends under this number, counted from 1. */
  run<T>(number: number, act: () => Promise<T>): Promise<T> {
    this.#wanted = number
    this.#sent = 0
    return this.#acts.run(true, act)
  }

  /** Call it once for each that is sent. */
  isNow(): boolean {
    return this.#acts.getStore() === true && ++this.#sent === this.#wanted
  }

  /** The number that the last act has sent. */
  get sent(): number {
    return this.#sent
  }

  /** Runs what does not belong to the act. */
  outside<T>(other: () => Promise<T>): Promise<T> {
    return this.#acts.exit(other)
  }
}
