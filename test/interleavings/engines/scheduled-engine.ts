import type { CompiledQuery, QueryResult } from 'kysely'
import type { Engine, Reads, SnapshotFrom, SnapshotLength } from '../../../src/database/store.ts'
import type { Scheduler } from './scheduler.ts'
import { WrappedEngine } from './wrapped-engine.ts'

/** A store's engine, each statement of which waits for its turn. */
export class ScheduledEngine extends WrappedEngine {
  readonly #scheduler: Scheduler

  constructor(engine: Engine, scheduler: Scheduler) {
    super(engine)
    this.#scheduler = scheduler
  }

  override run(query: CompiledQuery, reads: Reads): Promise<QueryResult<unknown>> {
    return this.#scheduler.turn(() => super.run(query, reads))
  }

  override batch(queries: readonly CompiledQuery[]) {
    return this.#scheduler.turn(() => super.batch(queries))
  }

  override snapshot(queries: readonly CompiledQuery[], from: SnapshotFrom, length: SnapshotLength) {
    return this.#scheduler.turn(() => super.snapshot(queries, from, length))
  }
}
