import type { CompiledQuery, Dialect, QueryResult } from 'kysely'
import { StatementDriver } from '../../src/database/statement-driver.ts'
import type { Engine, Reads, SnapshotFrom, SnapshotLength } from '../../src/database/store.ts'
import type { Scheduler } from './scheduler.ts'

/** A store's engine, each statement of which waits for its turn. */
export class ScheduledEngine implements Engine {
  readonly name: string
  readonly #engine: Engine
  readonly #scheduler: Scheduler

  constructor(engine: Engine, scheduler: Scheduler) {
    this.name = engine.name
    this.#engine = engine
    this.#scheduler = scheduler
  }

  dialect(reads: Reads): Dialect {
    const dialect = this.#engine.dialect(reads)
    const driver = new StatementDriver((query) => this.run(query, reads))
    return {
      createAdapter: () => dialect.createAdapter(),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createIntrospector: (db) => dialect.createIntrospector(db),
      createDriver: () => driver,
    }
  }

  run(query: CompiledQuery, reads: Reads): Promise<QueryResult<unknown>> {
    return this.#scheduler.turn(() => this.#engine.run(query, reads))
  }

  batch(queries: readonly CompiledQuery[]) {
    return this.#scheduler.turn(() => this.#engine.batch(queries))
  }

  snapshot(queries: readonly CompiledQuery[], from: SnapshotFrom, length: SnapshotLength) {
    return this.#scheduler.turn(() => this.#engine.snapshot(queries, from, length))
  }

  replicas() {
    return this.#engine.replicas()
  }

  history(): Promise<string> {
    return this.#engine.history()
  }

  ping(): Promise<void> {
    return this.#engine.ping()
  }

  close(): Promise<void> {
    return this.#engine.close()
  }
}
