import { type Dialect, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { type Run, StatementDriver } from '../statement-driver.ts'

/** Makes the query builder write for PostgreSQL and pass its statements to `run`. */
export function postgresDialect(run: Run): Dialect {
  const driver = new StatementDriver(run)
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
}
