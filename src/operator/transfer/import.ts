import { StoreUnavailable } from '../../database/store.ts'
import { insertDefaultSettings } from '../../features/ground/settings/statements.ts'
import { replaceSettings } from '../../features/ground/settings/transfer.ts'
import type { Platform } from '../../platform/platform.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { isStorable } from '../../rules/unstorable.ts'
import type { TransferProgress } from './export.ts'
import { Header, Line, type RowLine } from './lines.ts'
import { type AnyStore, insertRows, META_TABLES, SHARD_TABLES } from './tables.ts'
import { beginImport, endImport } from './under-way.ts'

type Target = Pick<Platform, 'meta' | 'shards' | 'secretBox' | 'now'>

const ROWS_AT_ONCE = 500

/**
 * Imports into migrated stores without users. A file that was imported in part can be imported again; any
 * other is refused. Returns the number of rows.
 */
export async function importAll(
  target: Target,
  lines: AsyncIterable<string>,
  progress: TransferProgress,
): Promise<number> {
  const reading = lines[Symbol.asyncIterator]()
  const header = await readHeader(target, await reading.next())
  const waiting = new Rows(target)
  while (await importLine(target, await reading.next(), waiting)) progress(waiting.rows, header.rows)
  if (!(await reading.next()).done) throw new OperatorError(`the file goes on after its end; ${START_AGAIN}`)
  await waiting.write()
  if (waiting.rows !== header.rows)
    throw new OperatorError(`the file has ${waiting.rows} rows but announces ${header.rows}; ${START_AGAIN}`)
  await endImport(target.meta)
  return header.rows
}

/** False after the last line. */
async function importLine(target: Target, next: IteratorResult<string>, waiting: Rows): Promise<boolean> {
  if (next.done) throw new OperatorError(`the file was cut short; ${START_AGAIN}`)
  const line = parsed(next.value, Line)
  if ('end' in line) return false
  if ('settings' in line) await storing('the settings', replaceSettings(target, line.settings, target.now()))
  else await waiting.add(line)
  return true
}

/** A store that is away is not the file's fault. */
async function storing(what: string, work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (cause) {
    if (cause instanceof StoreUnavailable) throw cause
    const reason = 'the file is damaged, or was made by a newer version'
    throw new OperatorError(`${what} cannot be stored: ${reason}`, { cause })
  }
}

/**
 * Advises empty stores, because each export has its own id, and a partial import can be continued only with its own
 * file.
 */
const START_AGAIN = 'import the whole one, or export again and import into empty stores'

/** Checks the first line before any store is made for the file. Returns all lines. */
export async function checkedExport(lines: AsyncIterable<string>, shards: Shards): Promise<AsyncIterable<string>> {
  const reading = lines[Symbol.asyncIterator]()
  const first = await reading.next()
  headerIn(first, shards)
  async function* all(): AsyncIterable<string> {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => reading }
  }
  return all()
}

interface Shards {
  has(id: string): boolean
}

function headerIn(first: IteratorResult<string>, shards: Shards): Header {
  if (first.done) throw new OperatorError('the file is empty; export again')
  const header = parsed(first.value, Header, `${NO_EXPORT}; for the users of another service, add --from`)
  if (!header.shards.every((id) => shards.has(id)))
    throw new OperatorError(`SHARDS must list ${header.shards.join(', ')}, where the users are`)
  return header
}

async function readHeader(target: Target, first: IteratorResult<string>): Promise<Header> {
  const header = headerIn(first, target.shards)
  await beginImport(target.meta, header)
  await insertDefaultSettings(target.meta, target.now())
  return header
}

const NO_EXPORT = 'this is not a gatehouse export, or it is damaged'

function parsed<T>(text: string, schema: { parse(value: unknown): T }, refusal = NO_EXPORT): T {
  try {
    const json: unknown = JSON.parse(text)
    // No store has produced such a text.
    if (!isStorable(json)) throw new Error('it has text that no store keeps as it is')
    return schema.parse(json)
  } catch (error) {
    throw new OperatorError(refusal, { cause: error })
  }
}

/** Rows of one table, written together. */
class Rows {
  readonly #target: Target
  #table: { readonly store: string; readonly table: string } | undefined
  #rows: RowLine['row'][] = []
  rows = 0

  constructor(target: Target) {
    this.#target = target
  }

  async add({ store, table, row }: RowLine): Promise<void> {
    const isSame = this.#table?.store === store && this.#table.table === table
    if (!isSame || this.#rows.length >= ROWS_AT_ONCE) await this.write()
    this.#table = { store, table }
    this.#rows.push(row)
    this.rows++
  }

  async write(): Promise<void> {
    if (!this.#table || this.#rows.length === 0) return
    const { store, table } = this.#table
    const inserting = insertRows(storeOf(this.#target, store, table), table, this.#rows)
    await storing(`rows of ${store}.${table}`, inserting)
    this.#rows = []
  }
}

function storeOf({ meta, shards }: Target, name: string, table: string): AnyStore {
  const tables: readonly { readonly table: string }[] = name === 'meta' ? META_TABLES : SHARD_TABLES
  const store = name === 'meta' ? meta : shards.get(name)
  if (!store || !tables.some((known) => known.table === table))
    throw new OperatorError(
      `the file has rows of ${name}.${table}, which this version does not know; install a newer one`,
    )
  return store
}
