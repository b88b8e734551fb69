import type { CompiledQuery, Dialect, QueryResult } from 'kysely'
import type { Work } from '../../../src/database/decision.ts'
import { StatementDriver } from '../../../src/database/statement-driver.ts'
import type { Engine, Length, Reads } from '../../../src/database/store.ts'

/** Forwards everything to another engine. What is sent goes through `around`, so a subclass can intercept it. */
export class WrappedEngine implements Engine {
  readonly name: string
  readonly at: string
  protected readonly engine: Engine

  constructor(engine: Engine) {
    this.name = engine.name
    this.at = engine.at
    this.engine = engine
  }

  dialect(reads: Reads): Dialect {
    const dialect = this.engine.dialect(reads)
    const driver = new StatementDriver((query) => this.run(query, reads))
    return {
      createAdapter: () => dialect.createAdapter(),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createIntrospector: (db) => dialect.createIntrospector(db),
      createDriver: () => driver,
    }
  }

  run(query: CompiledQuery, reads: Reads): Promise<QueryResult<unknown>> {
    return this.around([query], () => this.engine.run(query, reads))
  }

  batch(queries: readonly CompiledQuery[], length?: Length): Promise<readonly QueryResult<unknown>[]> {
    return this.around(queries, () => this.engine.batch(queries, length))
  }

  /** Interrupts before its first statement: on an embedded store nothing can happen between two of them. */
  decide(work: Work): Promise<void> {
    return this.around([], () => this.engine.decide(work))
  }

  snapshot(queries: readonly CompiledQuery[], from: Reads, length: Length): Promise<readonly QueryResult<unknown>[]> {
    return this.around(queries, () => this.engine.snapshot(queries, from, length))
  }

  /** Sends a statement, a batch or a snapshot. */
  protected around<T>(_queries: readonly CompiledQuery[], send: () => Promise<T>): Promise<T> {
    return send()
  }

  replicas() {
    return this.engine.replicas()
  }

  connections() {
    return this.engine.connections()
  }

  freeBytes() {
    return this.engine.freeBytes()
  }

  examine() {
    return this.engine.examine()
  }

  history(): Promise<string> {
    return this.engine.history()
  }

  ping(): Promise<void> {
    return this.engine.ping()
  }

  close(): Promise<void> {
    return this.engine.close()
  }
}
