import { type Dialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { type Run, StatementDriver } from '../statement-driver.ts'

/** Otherwise the builder would make every read wait while a write waits for its commit. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** How the query builder writes for SQLite, and hands over what it wrote. */
export function sqliteDialect(run: Run): Dialect {
  const driver = new StatementDriver(run)
  return {
    createAdapter: () => new ConcurrentAdapter(),
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}
