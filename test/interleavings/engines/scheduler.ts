import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Dice } from '../../chaos/dice.ts'

interface Waiting {
  readonly act: string
  readonly go: () => void
}

const STILL_WITHIN_MILLISECONDS = 120_000

/** Decides which statement goes next, when every act either waits for one or has ended. */
export class Scheduler {
  readonly #acts = new AsyncLocalStorage<string>()
  readonly #running = new Set<string>()
  #waiting: Waiting[] = []
  #isFree = true
  /** The act that each statement of the last order belonged to. */
  #order: string[] = []

  /** Statements that belong to no act go at once. */
  async turn<T>(work: () => Promise<T>): Promise<T> {
    const act = this.#acts.getStore()
    if (act === undefined) return work()
    await new Promise<void>((resolve) => this.#waiting.push({ act, go: resolve }))
    try {
      return await work()
    } finally {
      this.#isFree = true
    }
  }

  /** Runs the acts at once; returns the result of each, and the act that each statement belongs to. */
  async run<T>(acts: readonly (() => Promise<T>)[], dice: Dice) {
    this.#order = []
    const started = acts.map((act, i) => this.#start(String(i), act))
    let lastStatement = performance.now()
    while (this.#running.size > 0 || this.#waiting.length > 0) {
      await nextTurn()
      if (performance.now() - lastStatement > STILL_WITHIN_MILLISECONDS)
        throw new Error(`after ${this.#order.join('')} an act waits for something that is no statement`)
      if (!this.#isFree || !this.#isStill()) continue
      this.#next(dice)
      lastStatement = performance.now()
    }
    return { results: await Promise.allSettled(started), order: this.#order.join('') }
  }

  #start<T>(name: string, act: () => Promise<T>): Promise<T> {
    this.#running.add(name)
    return this.#acts.run(name, async () => {
      try {
        return await act()
      } finally {
        this.#running.delete(name)
      }
    })
  }

  /** An act that neither waits nor has ended is busy elsewhere: with a provider, or with a digest. */
  #isStill(): boolean {
    const waiting = new Set(this.#waiting.map(({ act }) => act))
    return [...this.#running].every((act) => waiting.has(act))
  }

  #next(dice: Dice): void {
    const acts = [...new Set(this.#waiting.map(({ act }) => act))].toSorted()
    const act = dice.oneOf(acts)
    const at = this.#waiting.findIndex((waiting) => waiting.act === act)
    const [next] = this.#waiting.splice(at, 1)
    if (!next) return
    this.#isFree = false
    this.#order.push(next.act)
    next.go()
  }
}
