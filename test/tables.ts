import { SqliteEngine } from '../src/platform/sqlite.ts'
import { Store } from '../src/platform/store.ts'
import { type Migration, migrate } from '../src/store/migrate.ts'
import type { MetaTables, ShardTables } from '../src/store/schema.ts'

/** As the migrations make them, which are the same for both engines. */
export async function tablesAfter(migrations: readonly Migration[]) {
  const store = new Store<MetaTables & ShardTables>(new SqliteEngine('any', ':memory:'))
  await migrate(store, migrations, 0)
  const tables = await store.introspection.getTables()
  await store.close()
  return tables.map(({ name, columns }) => ({ name, columns: columns.map((column) => column.name) }))
}
