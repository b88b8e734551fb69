import { type Dialect, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { type Run, StatementDriver } from '../statement-driver.ts'

/** How the query builder writes for PostgreSQL, and hands over what it wrote. */
export function postgresDialect(run: Run): Dialect {
  const driver = new StatementDriver(run)
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
}
