import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'
import { RecentlyUsed } from '../recently-used.ts'
import { bindable } from '../statement-driver.ts'
import { guarded } from './errors.ts'
import { openedForOwner } from './owner.ts'

/** A connection and its prepared statements. */
export class Handle {
  readonly database: DatabaseSync
  readonly #statements = new RecentlyUsed<Statement>(PREPARED_AT_MOST)
  readonly #controls = new Map<string, StatementSync>()

  constructor(database: DatabaseSync) {
    this.database = database
  }

  run({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): QueryResult<unknown> {
    const { statement, columns, rowOf } = this.#prepare(sql)
    const values = parameters.map(bindable)
    if (rowOf) {
      const arrays = statement.all(...values) as unknown as readonly (readonly unknown[])[]
      const isAsPrepared = arrays[0] === undefined || arrays[0].length === columns
      return { rows: arrays.map(isAsPrepared ? rowOf : this.#rowOfNow(sql, statement)) }
    }
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
    const known = this.#statements.use(sql)
    if (known) return known
    const statement = this.database.prepare(sql)
    statement.setReturnArrays(true)
    const prepared = describedNow(statement)
    this.#statements.keep(sql, prepared)
    return prepared
  }

  /** SQLite itself prepares a kept statement again if a migration has added a column in the meantime. */
  #rowOfNow(sql: string, statement: StatementSync): RowOf {
    const prepared = describedNow(statement)
    this.#statements.keep(sql, prepared)
    return prepared.rowOf ?? rowMaker([])
  }
}

interface Statement {
  readonly statement: StatementSync
  readonly columns: number
  /** Undefined for a statement without rows. */
  readonly rowOf: RowOf | undefined
}

function describedNow(statement: StatementSync): Statement {
  const names = statement.columns().map(({ name }) => name)
  return { statement, columns: names.length, rowOf: names.length > 0 ? rowMaker(names) : undefined }
}

type RowOf = (values: readonly unknown[]) => Record<string, unknown>

/**
 * The driver's own objects are dictionaries: building and reading one takes half as long again. A loop over the columns
 * took 4 % of a session check; a function with the statement's own columns written out takes a tenth of that.
 */
function rowMaker(columns: readonly string[]): RowOf {
  const fields = columns.map((name, i) => `${keyOf(name)}: values[${i}]`)
  return new Function('values', `return { ${fields.join()} }`) as RowOf
}

/** Brackets make this name a field; without them it would set the row's prototype. */
function keyOf(name: string): string {
  return name === '__proto__' ? "['__proto__']" : JSON.stringify(name)
}

const PREPARED_AT_MOST = 1_000
/** Used for opening and reading. Writes do not wait inside SQLite, because that would block the event loop. */
const BUSY_TIMEOUT_MILLISECONDS = 1_000

export function openWriter(name: string, file: string): Handle {
  return guarded(name, () => {
    const options = { timeout: BUSY_TIMEOUT_MILLISECONDS }
    const database = openedForOwner(file, () => new DatabaseSync(file, options))
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
    database.exec('pragma cache_size = -16000; pragma temp_store = memory')
    const handle = new Handle(database)
    epochOf(handle)
    database.exec('pragma busy_timeout = 0')
    return handle
  })
}

export function openReader(file: string): Handle {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MILLISECONDS })
  database.exec('pragma cache_size = -16000; pragma mmap_size = 2147418112')
  return new Handle(database)
}

/** `user_version` is ours: schema versions live in a table. */
export function epochOf({ database }: Handle): number {
  const { user_version } = database.prepare('pragma user_version').get() as { user_version: number }
  return user_version
}

const PROBE_BYTES = 64 * 1024

/** A commit that changes a page and leaves nothing: one that changes no page succeeds on a full disk too. */
export function tryToWrite(writer: Handle): void {
  try {
    writer.exec('begin immediate')
    writer.database.exec(`insert into instance (name, value) values ('probe', zeroblob(${PROBE_BYTES}))`)
    writer.database.exec(`delete from instance where name = 'probe'`)
    writer.exec('commit')
  } catch (error) {
    writer.rollback()
    throw error
  }
}

/** Call it inside a transaction. Another process may have raised the epoch further in the meantime. */
export function keepEpoch(writer: Handle, epoch: number): void {
  if (epochOf(writer) < epoch) writer.database.exec(`pragma user_version = ${epoch}`)
}
