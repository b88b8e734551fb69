import { AsyncLocalStorage } from 'node:async_hooks'
import { CompiledQuery, type Dialect, type QueryResult } from 'kysely'
import { isRead } from '../../src/database/reads.ts'
import { StatementDriver } from '../../src/database/statement-driver.ts'
import type { Engine, Reads, SnapshotFrom, SnapshotLength } from '../../src/database/store.ts'

export const HELD_BY = 1313

/** Which commit stops before its end. */
export class Hold {
  readonly #acts = new AsyncLocalStorage<true>()
  #commit = 0
  #seen = 0

  /** Runs the act whose commit of this number, counted from 1, is held. */
  run<T>(commit: number, act: () => Promise<T>): Promise<T> {
    this.#commit = commit
    this.#seen = 0
    return this.#acts.run(true, act)
  }

  isNow(): boolean {
    return this.#acts.getStore() === true && ++this.#seen === this.#commit
  }

  async commitsOf(act: () => Promise<unknown>): Promise<number> {
    await this.run(0, act)
    return this.#seen
  }
}

/** A PostgreSQL store, one commit of which keeps its locks until somebody lets go of `HELD_BY`. */
export class HoldingEngine implements Engine {
  readonly name: string
  readonly #engine: Engine
  readonly #hold: Hold

  constructor(engine: Engine, hold: Hold) {
    this.name = engine.name
    this.#engine = engine
    this.#hold = hold
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

  async run(query: CompiledQuery, reads: Reads): Promise<QueryResult<unknown>> {
    if (isRead(query) || !this.#hold.isNow()) return this.#engine.run(query, reads)
    const [result] = await this.#engine.batch([query, WAIT])
    return result ?? { rows: [] }
  }

  async batch(queries: readonly CompiledQuery[]): Promise<readonly QueryResult<unknown>[]> {
    if (!this.#hold.isNow()) return this.#engine.batch(queries)
    return (await this.#engine.batch([...queries, WAIT])).slice(0, -1)
  }

  snapshot(queries: readonly CompiledQuery[], from: SnapshotFrom, length: SnapshotLength) {
    return this.#engine.snapshot(queries, from, length)
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

const WAIT = CompiledQuery.raw(`select pg_advisory_xact_lock_shared(${HELD_BY})`)
