import type { CompiledQuery } from 'kysely'
import type { Work } from '../../../src/database/decision.ts'
import type { Engine } from '../../../src/database/store.ts'
import type { Scheduler } from './scheduler.ts'
import { WrappedEngine } from './wrapped-engine.ts'

/** A store's engine, each statement of which waits for its turn. */
export class ScheduledEngine extends WrappedEngine {
  readonly #scheduler: Scheduler

  constructor(engine: Engine, scheduler: Scheduler) {
    super(engine)
    this.#scheduler = scheduler
  }

  protected override around<T>(_queries: readonly CompiledQuery[], send: () => Promise<T>): Promise<T> {
    return this.#scheduler.turn(send)
  }

  /**
   * Runs the work twice, as if its first run had met a server that restarts: what it changes besides the store would
   * show.
   */
  override decide(work: Work): Promise<void> {
    return this.around([], async () => {
      await this.engine
        .decide(async (send) => {
          await work(send)
          throw new Undone()
        })
        .catch(unlessUndone)
      return this.engine.decide(work)
    })
  }
}

class Undone extends Error {
  override readonly name = 'Undone'
}

function unlessUndone(error: unknown): void {
  if (!(error instanceof Undone)) throw error
}
