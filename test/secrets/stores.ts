import { sql } from 'kysely'
import { isShared } from '../../src/database/sql/row-lock.ts'
import type { Meta, Shard } from '../../src/database/store.ts'
import type { Stores } from '../../src/database/stores.ts'
import type { KnownSecrets } from './known-secrets.ts'

interface Column {
  readonly name: string
  readonly bytes: Buffer
}

type Opened = Pick<Stores, 'meta' | 'shards'>

/** Each column of each table, or of one, that has one of the secrets, written by any route. */
export async function columnsWith(
  stores: Opened,
  secrets: KnownSecrets,
  onlyTable?: string,
): Promise<readonly string[]> {
  const columns = await columnsOf(stores, onlyTable)
  if (secrets.foundIn(Buffer.concat(columns.map(({ bytes }) => bytes))).length === 0) return []
  return columns.flatMap(({ name, bytes }) => secrets.foundIn(bytes).map((what) => `${name} has ${what}`))
}

/** All that is in the stores now, to be searched for what is only known later. */
export async function contentsOf(stores: Opened): Promise<Buffer> {
  return Buffer.concat((await columnsOf(stores)).map(({ bytes }) => bytes))
}

/** The tables are the database's own list, so none can be forgotten. */
async function columnsOf({ meta, shards }: Opened, onlyTable?: string): Promise<readonly Column[]> {
  const all: Column[] = []
  for (const [name, store] of [['meta', meta] as const, ...shards])
    for (const table of await tablesOf(store)) {
      if (onlyTable !== undefined && table !== onlyTable) continue
      const everything = sql<Readonly<Record<string, unknown>>>`select * from ${sql.table(table)}`
      const { rows } = await everything.execute(store.primary)
      for (const column of Object.keys(rows[0] ?? {})) {
        const values = rows.flatMap((row) => [bytesOf(row[column]), Buffer.from('\n')])
        all.push({ name: `${name}.${table}.${column}`, bytes: Buffer.concat(values) })
      }
    }
  return all
}

async function tablesOf(store: Meta | Shard): Promise<readonly string[]> {
  const ofSchema = sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = current_schema()`
  const ofFile = sql<{ name: string }>`select name from sqlite_master where type = 'table'`
  const { rows } = await (isShared(store) ? ofSchema : ofFile).execute(store.primary)
  return rows.map(({ name }) => name)
}

function bytesOf(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value))
}
