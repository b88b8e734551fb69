import { DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { currentPlace } from './place.ts'
import { isRead } from './reads.ts'
import { bindable, StatementDriver } from './statement-driver.ts'
import { ConstraintViolation, type Engine, StoreUnavailable } from './store.ts'

interface Job {
  readonly queries: readonly CompiledQuery[]
  readonly resolve: (results: readonly QueryResult<unknown>[]) => void
  readonly reject: (error: unknown) => void
}

/**
 * One file, one writer, one separate reader. Writes of one turn of the event loop share one commit;
 * each has its own savepoint, so that one that fails does not take the others along.
 */
export class SqliteEngine implements Engine {
  readonly name: string
  readonly #writer: Handle
  readonly #reader: Handle
  readonly #epoch: number
  #commits = 0
  #queue: Job[] = []

  constructor(name: string, file: string) {
    this.name = name
    this.#writer = openWriter(name, file)
    this.#reader = file === ':memory:' ? this.#writer : openReader(file)
    this.#epoch = nextEpoch(this.#writer)
  }

  dialect(): Dialect {
    const driver = new StatementDriver((query) => this.#run(query))
    return {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    }
  }

  async #run(query: CompiledQuery): Promise<QueryResult<unknown>> {
    if (isRead(query)) return this.#read(query)
    const [result] = await this.batch([query])
    return result ?? { rows: [] }
  }

  #read(query: CompiledQuery): QueryResult<unknown> {
    this.#notePlace()
    return guarded(this.name, () => this.#reader.run(query))
  }

  batch(queries: readonly CompiledQuery[]): Promise<readonly QueryResult<unknown>[]> {
    this.#notePlace()
    if (this.#queue.length === 0) setImmediate(() => this.#commitTurn())
    return new Promise((resolve, reject) => this.#queue.push({ queries, resolve, reject }))
  }

  replicas(): readonly [] {
    return []
  }

  async ping(): Promise<void> {
    guarded(this.name, () => this.#reader.database.exec('select 1'))
  }

  async close(): Promise<void> {
    this.#commitTurn()
    if (this.#reader !== this.#writer) this.#reader.close()
    this.#writer.close()
  }

  /** A counter of commits under an epoch of openings: it only grows, also across restarts. */
  #notePlace(): void {
    currentPlace()?.reached(this.name, () => `${this.#epoch}.${this.#commits}`)
  }

  #commitTurn(): void {
    const jobs = this.#queue
    if (jobs.length === 0) return
    this.#queue = []
    try {
      this.#writer.exec('begin immediate')
      const outcomes = jobs.map((job) => this.#runJob(job))
      this.#writer.exec('commit')
      this.#commits++
      for (const settle of outcomes) settle()
    } catch (error) {
      this.#writer.rollback()
      for (const job of jobs) job.reject(translated(this.name, error))
    }
  }

  /** Answers how to settle the job once the shared commit is durable. */
  #runJob({ queries, resolve, reject }: Job): () => void {
    this.#writer.exec('savepoint job')
    try {
      const results = queries.map((query) => this.#writer.run(query))
      this.#writer.exec('release job')
      return () => resolve(results)
    } catch (error) {
      const known = translated(this.name, error)
      // A full disk may have ended the whole transaction; then nobody's write stands.
      if (known instanceof StoreUnavailable) throw error
      this.#writer.exec('rollback to job')
      this.#writer.exec('release job')
      return () => reject(known)
    }
  }
}

/** A connection and its prepared statements. */
class Handle {
  readonly database: DatabaseSync
  readonly #statements = new Map<string, Statement>()
  readonly #controls = new Map<string, StatementSync>()

  constructor(database: DatabaseSync) {
    this.database = database
  }

  run({ sql, parameters }: CompiledQuery): QueryResult<unknown> {
    const { statement, answersRows } = this.#prepare(sql)
    const values = parameters.map(bindable)
    if (answersRows) return { rows: statement.all(...values) }
    const { changes } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes) }
  }

  exec(sql: string): void {
    let statement = this.#controls.get(sql)
    if (!statement) {
      statement = this.database.prepare(sql)
      this.#controls.set(sql, statement)
    }
    statement.run()
  }

  rollback(): void {
    if (this.database.isTransaction) this.database.exec('rollback')
  }

  close(): void {
    this.#statements.clear()
    this.#controls.clear()
    this.database.close()
  }

  #prepare(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known) return known
    if (this.#statements.size >= CACHED_STATEMENTS) this.#statements.clear()
    const statement = this.database.prepare(sql)
    const prepared = { statement, answersRows: statement.columns().length > 0 }
    this.#statements.set(sql, prepared)
    return prepared
  }
}

interface Statement {
  readonly statement: StatementSync
  readonly answersRows: boolean
}

const CACHED_STATEMENTS = 1_000
const BUSY_TIMEOUT_MILLISECONDS = 1_000

function openWriter(name: string, file: string): Handle {
  return guarded(name, () => {
    const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MILLISECONDS })
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
    database.exec('pragma cache_size = -16000; pragma temp_store = memory')
    return new Handle(database)
  })
}

function openReader(file: string): Handle {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MILLISECONDS })
  database.exec('pragma cache_size = -16000; pragma mmap_size = 268435456')
  return new Handle(database)
}

/** `user_version` is ours: schema versions live in a table. */
function nextEpoch(writer: Handle): number {
  const { user_version } = writer.database.prepare('pragma user_version').get() as { user_version: number }
  writer.database.exec(`pragma user_version = ${user_version + 1}`)
  return user_version + 1
}

const SQLITE = {
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  CONSTRAINT: 19,
}
const UNAVAILABLE: ReadonlySet<number> = new Set([
  SQLITE.BUSY,
  SQLITE.LOCKED,
  SQLITE.READONLY,
  SQLITE.IOERR,
  SQLITE.CORRUPT,
  SQLITE.FULL,
  SQLITE.CANTOPEN,
])
const CONSTRAINT_KIND: ReadonlyMap<number, ConstraintViolation['kind']> = new Map([
  [2067, 'unique'],
  [1555, 'unique'],
  [787, 'foreign-key'],
])

function translated(store: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error
  const primary = error.errcode & 0xff
  if (UNAVAILABLE.has(primary)) return new StoreUnavailable(store, { cause: error })
  if (primary !== SQLITE.CONSTRAINT) return error
  return new ConstraintViolation(CONSTRAINT_KIND.get(error.errcode) ?? 'other', error.message, {
    cause: error,
  })
}

function guarded<T>(store: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw translated(store, error)
  }
}
