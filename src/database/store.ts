import { type Compilable, type CompiledQuery, type Dialect, Kysely, type LogEvent, type QueryResult } from 'kysely'
import { BatchRows } from './batch-rows.ts'
import { Decision, type Query, type Rows, type Work } from './decision.ts'
import type { MetaTables, ShardTables } from './schema/tables.ts'
import { type Observer, Watch } from './watch.ts'

/** The operations a `Store` needs from a database. */
export interface Engine {
  readonly name: string
  /** Host and port, or the file. */
  readonly at: string
  dialect(reads: Reads): Dialect
  run(query: CompiledQuery, reads: Reads): Promise<QueryResult<unknown>>
  /** Runs all of them or none, in order, in one commit. */
  batch(queries: readonly CompiledQuery[], length?: Length): Promise<readonly QueryResult<unknown>[]>
  /** Runs the work in one transaction. If the work throws, this throws too, and nothing is kept. */
  decide(work: Work): Promise<void>
  /** Reads everything at one moment. The reads count for the bookmark, even from the primary. */
  snapshot(queries: readonly CompiledQuery[], from: Reads, length: Length): Promise<readonly QueryResult<unknown>[]>
  /** The state of each read replica; an embedded store has none. */
  replicas(): readonly ReplicaReport[]
  /** Undefined if there are none: the file of an embedded store is opened once. */
  connections(): Connections | undefined
  /** Bytes on the disk of an embedded store; a server does not report them. */
  freeBytes(): Promise<number | undefined>
  history(): Promise<string>
  ping(): Promise<void>
  /** The store's own clock, in epoch milliseconds. A server is also made to find room for new pages. */
  examine(): Promise<StoreClock>
  close(): Promise<void>
}

export interface Connections {
  readonly idle: number
  readonly busy: number
  /** Callers that wait for a connection. */
  readonly waiting: number
}

/** What a server's clock said, and how long that took to find out. */
export interface StoreClock {
  /** Epoch milliseconds. */
  readonly at: number
  readonly roundTripMilliseconds: number
}

/** `routed` may read from a replica that has caught up with the request's bookmark. */
export type Reads = 'routed' | 'primary'

/**
 * `long`: a snapshot whose cost grows with the table, or a migration's batch, which is awaited for as long as it takes.
 * An embedded store reads a long snapshot in a process of its own, so that no request waits for it, and it can be
 * ended.
 */
export type Length = 'short' | 'long'

export interface ReplicaReport {
  /** Host and port. */
  readonly at: string
  /** `primary`: where a cluster chooses its primary, all servers are listed. */
  readonly state: 'untried' | 'serving' | 'lagging' | 'unreachable' | 'foreign' | 'primary'
  /** How long it has been in this state, as this process knows. */
  readonly stateMilliseconds: number
  /** Bytes of log that the primary has on disk and the replica had not replayed at its last report. */
  readonly behindBytes: number | undefined
}

/** Tables with their types, behind a query builder. */
class Database<Tables> extends Kysely<Tables> {
  readonly #run: (query: CompiledQuery) => Promise<QueryResult<unknown>>
  readonly #watch: Watch

  constructor(engine: Engine, reads: Reads, watch: Watch) {
    const log = (event: LogEvent) => {
      const { query, queryDurationMillis } = event
      const seconds = queryDurationMillis / 1000
      if (event.level === 'error') return watch.observer.failed(event.error, seconds, query)
      watch.observer.took(seconds, query)
      watch.done(query)
    }
    super({ dialect: engine.dialect(reads), log })
    this.#run = (query) => engine.run(query, reads)
    this.#watch = watch
  }

  /** Runs a prepared statement directly: the builder's own path to the driver costs more than a short read. */
  async run<Row>(query: Compilable<Row>): Promise<readonly Row[]> {
    const compiled = query.compile()
    const { rows } = await this.#watch.timed(compiled, () => this.#run(compiled))
    // The row's type is the query's own claim; a driver cannot know it.
    return rows as readonly Row[]
  }
}

/** One database with its tables' types. A write is one statement, one batch, or one decision. */
export class Store<Tables> extends Database<Tables> {
  readonly name: string
  readonly at: string
  /** Reads that authorise a caller never go to a replica. */
  readonly primary: Database<Tables>
  readonly #engine: Engine
  readonly #watch: Watch

  constructor(engine: Engine) {
    const watch = new Watch()
    super(engine, 'routed', watch)
    this.name = engine.name
    this.at = engine.at
    this.primary = new Database(engine, 'primary', watch)
    this.#engine = engine
    this.#watch = watch
  }

  /** Calls the observer after each statement and batch. */
  observe(observer: Observer): void {
    this.#watch.observer = observer
  }

  /** Calls the listener after each commit of this process that tried to insert into the table. */
  onInsert(table: keyof Tables & string, listener: () => void): void {
    this.#watch.onInsert(table, listener)
  }

  async batch(statements: readonly Compilable<unknown>[], length: Length = 'short'): Promise<BatchRows> {
    const results = await this.#timed(statements, (compiled) => this.#engine.batch(compiled, length))
    return new BatchRows(statements, results)
  }

  /**
   * A write that depends on what is stored. `first` locks the rows concerned, in the order all batches use, and reads
   * what depends on them: each query sees what was committed before the locks were granted.
   */
  async decide<const Queries extends readonly Query[], T>(
    first: Queries,
    work: (decision: Decision, ...rows: Rows<Queries>) => Promise<T>,
  ): Promise<T> {
    let outcome: { readonly value: T; readonly written: readonly CompiledQuery[] } | undefined
    const deciding = () =>
      this.#engine.decide(async (send) => {
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
    await this.#watch.timed('decision', deciding)
    if (!outcome) throw new Error('the engine did not run the decision')
    for (const query of outcome.written) this.#watch.done(query)
    return outcome.value
  }

  /** Reads that must agree with each other: everything returned was true at one moment. */
  async snapshot<const Queries extends readonly Compilable<unknown>[]>(
    queries: Queries,
    from: Reads = 'routed',
    length: Length = 'short',
  ): Promise<Rows<Queries>> {
    const results = await this.#timed(queries, (compiled) => this.#engine.snapshot(compiled, from, length))
    return results.map((result) => result.rows) as unknown as Rows<Queries>
  }

  async #timed(
    queries: readonly Compilable<unknown>[],
    run: (compiled: readonly CompiledQuery[]) => Promise<readonly QueryResult<unknown>[]>,
  ): Promise<readonly QueryResult<unknown>[]> {
    const compiled = queries.map((query) => query.compile())
    const results = await this.#watch.timed(compiled, () => run(compiled))
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

  connections(): Connections | undefined {
    return this.#engine.connections()
  }

  freeBytes(): Promise<number | undefined> {
    return this.#engine.freeBytes()
  }

  ping(): Promise<void> {
    return this.#watch.timed('probe', () => this.#engine.ping())
  }

  examine(): Promise<StoreClock> {
    return this.#watch.timed('probe', () => this.#engine.examine())
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

export interface HostFailure {
  readonly at: string
  /** It refused the connection for another reason than being a replica. */
  readonly isAlive: boolean
  readonly reason: Error
}

/** None of a store's hosts can be used, each for its own reason. */
export class NoHostServes extends Error {
  override readonly name = 'NoHostServes'
  readonly hosts: readonly HostFailure[]

  constructor(hosts: readonly HostFailure[]) {
    super(hosts.map(({ at, reason }) => `${at}: ${reason.message}`).join('; '))
    this.hosts = hosts
  }
}

/** The store still reads, and refuses writes: its disk is full, or someone closed it to writes. */
export class StoreReadOnly extends StoreUnavailable {}

/** The operator has started this process without the store. */
export class StoreLeftOut extends StoreUnavailable {}

/** A long read reached its time limit, or its client has left; the store works. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong'
}

/** Handler for `catch` around optional work: undefined if the store is unavailable; any other error is rethrown. */
export function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof StoreUnavailable)) throw error
}

interface Constraint {
  readonly kind: 'unique' | 'foreign-key' | 'not-null' | 'other'
  /** Undefined for a foreign key of an embedded store, which does not name it. */
  readonly table: string | undefined
  /** Set only for `not-null`: the other kinds can concern several columns. */
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
