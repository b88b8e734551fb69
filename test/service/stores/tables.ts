import { type Migration, migrate } from '../../../src/database/migrations/migrate.ts'
import type { MetaTables, ShardTables } from '../../../src/database/schema/tables.ts'
import { SqliteEngine } from '../../../src/database/sqlite/engine.ts'
import { Store } from '../../../src/database/store.ts'

/** As the migrations make them, which are the same for both engines but for the index of an embedded one. */
export async function tablesAfter(migrations: readonly Migration[]) {
  const store = new Store<MetaTables & ShardTables>(new SqliteEngine('any', ':memory:'))
  await migrate(store, migrations, 0)
  const tables = await store.introspection.getTables()
  await store.close()
  const shared = tables.filter(({ name }) => !name.startsWith('user_gram'))
  return shared.map(({ name, columns }) => ({ name, columns: columns.map((column) => column.name) }))
}
