import {
  type Compilable,
  type CompiledQuery,
  type Dialect,
  Kysely,
  type LogEvent,
  type QueryResult,
} from 'kysely'
import { BatchRows } from './batch-rows.ts'
import { Decision, type Query, type Rows, type Work } from './decision.ts'
import type { MetaTables, ShardTables } from './schema/tables.ts'
import { Watch } from './watch.ts'

/** What a `Store` needs from a database. */
export interface Engine {
  readonly name: string
  dialect(reads: Reads): Dialect
  run(query: CompiledQuery, reads: Reads): Promise<QueryResult<unknown>>
  /** All or none of them, in order, in one commit. */
  batch(queries: readonly CompiledQuery[], length?: BatchLength): Promise<readonly QueryResult<unknown>[]>
  /** One transaction. What the work throws is thrown, and nothing remains. */
  decide(work: Work): Promise<void>
  /** Reads only, all of one moment. */
  snapshot(
    queries: readonly CompiledQuery[],
    from: SnapshotFrom,
    length: SnapshotLength,
  ): Promise<readonly QueryResult<unknown>[]>
  /** The state of each read replica; an embedded store has none. */
  replicas(): readonly ReplicaReport[]
  history(): Promise<string>
  ping(): Promise<void>
  close(): Promise<void>
}

/** `routed` may read from a replica that has caught up with the request's bookmark. */
export type Reads = 'routed' | 'primary'

/** `routed` as for one read; `primary` ignores replicas and still counts for the bookmark. */
export type SnapshotFrom = 'routed' | 'primary'

/** `long`: its cost grows with the table. An embedded store then reads in a thread, so that no request waits for it. */
export type SnapshotLength = 'short' | 'long'

/** `long`: its result is awaited for as long as it takes. Only a migration may take that long. */
export type BatchLength = 'short' | 'long'

export interface ReplicaReport {
  readonly name: string
  readonly state: 'untried' | 'serving' | 'lagging' | 'unreachable' | 'foreign'
  /** Bytes of log that the primary has on disk and the replica had not replayed at its last report. */
  readonly behindBytes: number | undefined
}

/** Tables with their types, behind a query builder. */
class Database<Tables> extends Kysely<Tables> {
  readonly #run: (query: CompiledQuery) => Promise<QueryResult<unknown>>
  readonly #watch: Watch

  constructor(engine: Engine, reads: Reads, watch: Watch) {
    const log = ({ level, query, queryDurationMillis }: LogEvent) => {
      watch.observe(queryDurationMillis / 1000)
      if (level === 'query') watch.done(query)
    }
    super({ dialect: engine.dialect(reads), log })
    this.#run = (query) => engine.run(query, reads)
    this.#watch = watch
  }

  /** For a prepared statement: the builder's own path to the driver costs more than a short read. */
  async run<Row>(query: Compilable<Row>): Promise<readonly Row[]> {
    const started = performance.now()
    const { rows } = await this.#run(query.compile())
    this.#watch.observe((performance.now() - started) / 1000)
    // The row's type is the query's own claim; a driver cannot know it.
    return rows as readonly Row[]
  }
}

/** One database with its tables' types. A write is one statement, one batch, or one decision. */
export class Store<Tables> extends Database<Tables> {
  readonly name: string
  /** For reads that decide what a caller may do: never from a replica. */
  readonly primary: Database<Tables>
  readonly #engine: Engine
  readonly #watch: Watch

  constructor(engine: Engine) {
    const watch = new Watch()
    super(engine, 'routed', watch)
    this.name = engine.name
    this.primary = new Database(engine, 'primary', watch)
    this.#engine = engine
    this.#watch = watch
  }

  /** Calls `observe` with how long each statement and batch takes. */
  observe(observe: (seconds: number) => void): void {
    this.#watch.observe = observe
  }

  /** Calls the listener after each commit of this process that tried to insert into the table. */
  onInsert(table: keyof Tables & string, listener: () => void): void {
    this.#watch.onInsert(table, listener)
  }

  async batch(statements: readonly Compilable<unknown>[], length: BatchLength = 'short'): Promise<BatchRows> {
    const results = await this.#timed(statements, (compiled) => this.#engine.batch(compiled, length))
    return new BatchRows(statements, results)
  }

  /**
   * For a write that depends on what is there. `first` locks what the work is about, in the order of all batches, and
   * reads what depends on it: each of its queries sees what was committed before the locks were granted.
   */
  async decide<const Queries extends readonly Query[], T>(
    first: Queries,
    work: (decision: Decision, ...rows: Rows<Queries>) => Promise<T>,
  ): Promise<T> {
    const started = performance.now()
    let outcome: { readonly value: T; readonly written: readonly CompiledQuery[] } | undefined
    await this.#engine.decide(async (send) => {
      const written: CompiledQuery[] = []
      const noted: typeof send = (queries) => {
        written.push(...queries)
        return send(queries)
      }
      const { value, writes } = await Decision.run(noted, async (decision) =>
        work(decision, ...((await decision.read(first)) as unknown as Rows<Queries>)),
      )
      outcome = { value, written: [...written, ...writes] }
      return writes
    })
    if (!outcome) throw new Error('the engine did not run the decision')
    this.#watch.observe((performance.now() - started) / 1000)
    for (const query of outcome.written) this.#watch.done(query)
    return outcome.value
  }

  /** For reads that must agree with each other: what they return was true at one moment. */
  async snapshot<const Queries extends readonly Compilable<unknown>[]>(
    queries: Queries,
    from: SnapshotFrom = 'routed',
    length: SnapshotLength = 'short',
  ): Promise<Rows<Queries>> {
    const results = await this.#timed(queries, (compiled) => this.#engine.snapshot(compiled, from, length))
    return results.map((result) => result.rows) as unknown as Rows<Queries>
  }

  async #timed(
    queries: readonly Compilable<unknown>[],
    run: (compiled: readonly CompiledQuery[]) => Promise<readonly QueryResult<unknown>[]>,
  ): Promise<readonly QueryResult<unknown>[]> {
    const started = performance.now()
    const compiled = queries.map((query) => query.compile())
    const results = await run(compiled)
    this.#watch.observe((performance.now() - started) / 1000)
    for (const query of compiled) this.#watch.done(query)
    return results
  }

  replicas(): readonly ReplicaReport[] {
    return this.#engine.replicas()
  }

  /** Changes after a failover, which can lose writes: stored counters may repeat from then on. */
  history(): Promise<string> {
    return this.#engine.history()
  }

  ping(): Promise<void> {
    return this.#engine.ping()
  }

  async close(): Promise<void> {
    await this.#engine.close()
  }
}

export type Meta = Store<MetaTables>
export type Shard = Store<ShardTables>

/** The store cannot serve now: unreachable, full, read-only. Becomes a 503. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  readonly store: string

  constructor(store: string, options?: ErrorOptions) {
    super(`store ${store} is not available`, options)
    this.store = store
  }
}

/** The store still reads, and refuses writes: its disk is full, or someone closed it to writes. */
export class StoreReadOnly extends StoreUnavailable {}

/** For `catch`, if it can be done without: undefined if the store cannot serve it, and any other error is thrown again. */
export function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof StoreUnavailable)) throw error
}

interface Constraint {
  readonly kind: 'unique' | 'foreign-key' | 'not-null' | 'other'
  /** Undefined for a foreign key of an embedded store, which does not name it. */
  readonly table: string | undefined
  /** Only for `not-null`: the other kinds can be about several columns. */
  readonly column: string | undefined
}

/** A constraint refused the statement. Prefer `on conflict` in the statement. */
export class ConstraintViolation extends Error implements Constraint {
  override readonly name = 'ConstraintViolation'
  readonly kind: Constraint['kind']
  readonly table: string | undefined
  readonly column: string | undefined

  constructor({ kind, table, column }: Constraint, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
    this.table = table
    this.column = column
  }
}
