import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Client } from 'pg'
import { metaMigrations } from '../../src/database/migrations/meta.ts'
import { type Migration, migrate } from '../../src/database/migrations/migrate.ts'
import { shardMigrations } from '../../src/database/migrations/shard.ts'
import { PostgresEngine } from '../../src/database/postgres/engine.ts'
import type { MetaTables, ShardTables } from '../../src/database/schema/tables.ts'
import { Store } from '../../src/database/store.ts'
import { createDatabase, databaseUrl, schemaUrl, withClient } from './databases.ts'

/** A migrated database to copy, with a schema for each shard; made once, by the first test that needs it. */
export function migratedTemplate(adminUrl: string, shards: readonly string[]): Promise<string> {
  const name = `template_${digest([...MIGRATION_FILES.map((file) => readFileSync(file, 'utf8')), ...shards])}`
  return withClient(adminUrl, async (client) => {
    await client.query('select pg_advisory_lock(8)')
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await make(client, adminUrl, name, shards)
    return name
  })
}

const MIGRATIONS = new URL('../../src/database/migrations/', import.meta.url)
const MIGRATION_FILES = readdirSync(MIGRATIONS, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => new URL(name, MIGRATIONS))

async function make(client: Client, adminUrl: string, name: string, shards: readonly string[]): Promise<void> {
  const unfinished = `unfinished_${name}`
  await client.query(`drop database if exists ${unfinished}`)
  await createDatabase(client, unfinished)
  const url = databaseUrl(adminUrl, unfinished)
  await withClient(url, (inside) => inside.query(shards.map((id) => `create schema "${id}";`).join('')))
  await migrated(new Store<MetaTables>(new PostgresEngine('meta', { url })), metaMigrations)
  for (const id of shards) {
    const engine = new PostgresEngine(id, { url: schemaUrl(url, id) })
    await migrated(new Store<ShardTables>(engine), shardMigrations)
  }
  await client.query(`alter database ${unfinished} rename to ${name}`)
}

async function migrated<Tables extends MetaTables | ShardTables>(
  store: Store<Tables>,
  migrations: readonly Migration[],
): Promise<void> {
  await migrate(store, migrations, 0)
  await store.close()
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16)
}
