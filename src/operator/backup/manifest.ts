import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { OperatorError } from '../../rules/operator-error.ts'

export const MANIFEST_NAME = 'manifest.json'

export const StoreRecord = z.object({
  name: z.string(),
  file: z.string().regex(/^[a-z0-9-]+\.sqlite$/),
  bytes: z.int().positive(),
  sha256: z.hex().length(64),
  /** Migrations applied, oldest first. */
  migrations: z.array(z.string()),
  /** Rows of each table. */
  tables: z.record(z.string(), z.int()),
})
export type StoreRecord = z.output<typeof StoreRecord>

/** The first file of an archive: what the other files must contain. */
export const Manifest = z.object({
  format: z.literal('gatehouse-backup-1'),
  created_at: z.int().refine((at) => !Number.isNaN(new Date(at).getTime())),
  /** Identifies the secrets.json that belongs to this data, without revealing it. */
  encryption_key_fingerprint: z.string(),
  stores: z.array(StoreRecord).min(1),
})
export type Manifest = z.output<typeof Manifest>

export function fingerprintOf({ configEncryptionKey }: Pick<Secrets, 'configEncryptionKey'>): string {
  return createHash('sha256').update('gatehouse').update(configEncryptionKey).digest('hex').slice(0, 16)
}

/** Reads the whole file: its pages, its tables, its bytes. Throws if it is damaged or not one of our stores. */
export async function recordOf(name: string, path: string): Promise<StoreRecord> {
  const { migrations, tables } = wholeContentOf(name, path)
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  const { size } = await stat(path)
  return { name, file: `${name}.sqlite`, bytes: size, sha256: hash.digest('hex'), migrations, tables }
}

function wholeContentOf(name: string, path: string): ReturnType<typeof contentOf> {
  try {
    return contentOf(name, path)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`the store ${name} is damaged; use an earlier backup`, { cause: error })
  }
}

function contentOf(name: string, path: string): Pick<StoreRecord, 'migrations' | 'tables'> {
  // No other process has this copy open, so SQLite needs no extra files beside it.
  using database = new DatabaseSync(new URL(`${pathToFileURL(path)}?immutable=1`), { readOnly: true })
  const verdict = database.prepare('pragma quick_check').get()?.quick_check
  if (verdict !== 'ok') throw new Error(String(verdict))
  const names = textsOf(
    database,
    "select name as text from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name",
  )
  if (!names.includes('schema_migration'))
    throw new OperatorError(`the store ${name} has no tables of this program; check DATA_DIR and SHARDS`)
  const migrations = textsOf(database, 'select name as text from schema_migration order by name')
  return { migrations, tables: Object.fromEntries(names.map((table) => [table, rowsIn(database, table)])) }
}

function textsOf(database: DatabaseSync, query: string): string[] {
  return database
    .prepare(query)
    .all()
    .map(({ text }) => String(text))
}

function rowsIn(database: DatabaseSync, table: string): number {
  return Number(database.prepare(`select count(*) as rows from "${table}"`).get()?.rows)
}
