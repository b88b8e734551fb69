import { metaMigrations } from '../../../src/database/migrations/meta.ts'
import { type Migration, migrate } from '../../../src/database/migrations/migrate.ts'
import { shardMigrations } from '../../../src/database/migrations/shard.ts'
import type { MetaTables, ShardTables } from '../../../src/database/schema/tables.ts'
import { SqliteEngine } from '../../../src/database/sqlite/engine.ts'
import { Store } from '../../../src/database/store.ts'
import type { Stores } from '../../../src/database/stores.ts'

/** The tables that the migrations make; both engines have the same, except for the index of an embedded one. */
export async function tablesAfter(migrations: readonly Migration[]) {
  const store = new Store<MetaTables & ShardTables>(new SqliteEngine('any', ':memory:'))
  await migrate(store, migrations, 0)
  const tables = await store.introspection.getTables()
  await store.close()
  const shared = tables.filter(({ name }) => !/^(user|organization)_gram/.test(name))
  return shared.map(({ name, columns }) => ({ name, columns: columns.map((column) => column.name) }))
}

/** Every table of every store with a row that has these words. */
export async function tablesNaming({ meta, shards }: Stores, words: string): Promise<readonly string[]> {
  const found = [await tablesOfStore(meta, metaMigrations, words)]
  for (const shard of shards.values()) found.push(await tablesOfStore(shard, shardMigrations, words))
  return found.flat().toSorted()
}

async function tablesOfStore<Tables>(
  store: Store<Tables>,
  migrations: readonly Migration[],
  words: string,
): Promise<readonly string[]> {
  const anyTable = store as unknown as Store<Record<string, object>>
  const found: string[] = []
  for (const { name } of await tablesAfter(migrations)) {
    const rows = await anyTable.selectFrom(name).selectAll().execute()
    if (JSON.stringify(rows).includes(words)) found.push(`${store.name}.${name}`)
  }
  return found
}
