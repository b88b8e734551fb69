import type { CompiledQuery } from 'kysely'
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
}
