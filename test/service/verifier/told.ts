import type { Clock } from '../../../packages/server/options.ts'

/** The machine's clock, and what a test adds. */
export class AdvancedClock implements Clock {
  steadyAdvance = 0
  wall = () => Date.now()
  steady = () => performance.now() + this.steadyAdvance
}

/** A verifier's reports about its connection and outages, in order. */
export class Told {
  readonly #states: string[] = []
  #arrived = Promise.withResolvers<void>()

  readonly note = (state: string): void => {
    this.#states.push(state)
    this.#arrived.resolve()
  }

  readonly callbacks = {
    onConnection: this.note,
    onOutage: () => this.note('outage'),
    onContact: () => this.note('contact'),
  }

  /** The first time after those that were awaited before. */
  async next(state: string): Promise<void> {
    for (;;) {
      const told = this.#states.shift()
      if (told === state) return
      if (told !== undefined) continue
      this.#arrived = Promise.withResolvers()
      await this.#arrived.promise
    }
  }
}
