import { type Compilable, type CompiledQuery, type Dialect, Kysely, type QueryResult } from 'kysely'
import type { MetaTables, ShardTables } from '../store/schema.ts'

/** What a database must offer to stand behind a `Store`. */
export interface Engine {
  readonly name: string
  /** `routed` may read from a replica that has caught up with the request's bookmark. */
  dialect(reads: 'routed' | 'primary'): Dialect
  /** All of them or none, in order, in one commit. */
  batch(queries: readonly CompiledQuery[]): Promise<readonly QueryResult<unknown>[]>
  ping(): Promise<void>
  close(): Promise<void>
}

type Rows<Queries extends readonly Compilable<unknown>[]> = {
  [K in keyof Queries]: Queries[K] extends Compilable<infer Row> ? readonly Row[] : never
}

/**
 * One database with its tables' types. A write is one statement or one batch; there are no
 * interactive transactions, so read-then-write races cannot be written.
 */
export class Store<Tables> extends Kysely<Tables> {
  readonly name: string
  /** Reads that decide who may do what: never from a replica. */
  readonly primary: Kysely<Tables>
  readonly #engine: Engine

  constructor(engine: Engine) {
    super({ dialect: engine.dialect('routed') })
    this.name = engine.name
    this.primary = new Kysely({ dialect: engine.dialect('primary') })
    this.#engine = engine
  }

  /** Answers each statement's rows, where it returns any. */
  async batch<const Queries extends readonly Compilable<unknown>[]>(
    queries: Queries,
  ): Promise<Rows<Queries>> {
    const results = await this.#engine.batch(queries.map((query) => query.compile()))
    return results.map((result) => result.rows) as unknown as Rows<Queries>
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

/** The store cannot serve now: unreachable, full, read-only. Answered as 503. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  readonly store: string

  constructor(store: string, options?: ErrorOptions) {
    super(`store ${store} is not available`, options)
    this.store = store
  }
}

/** A unique or foreign key said no. Prefer `on conflict` in the statement. */
export class ConstraintViolation extends Error {
  override readonly name = 'ConstraintViolation'
  readonly kind: 'unique' | 'foreign-key' | 'other'

  constructor(kind: 'unique' | 'foreign-key' | 'other', message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
