import { type Compilable, CompiledQuery, type QueryExecutorProvider } from 'kysely'
import { isShared } from '../sql/row-lock.ts'

/**
 * For the rest of the batch. While another process applies a migration, the row with its name is not inserted, however
 * long that takes.
 */
export function noLimits(db: QueryExecutorProvider): readonly Compilable<unknown>[] {
  return onPostgres(db, `select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`)
}

/**
 * For the rest of the batch. While it waits for a lock, every request that needs the same lock waits behind it. So it
 * waits only briefly, even if the role behind a PgBouncer has no limit.
 */
export function briefLocks(db: QueryExecutorProvider): readonly Compilable<unknown>[] {
  return onPostgres(
    db,
    `select set_config('lock_timeout', case reset_val when '0' then '5s' else reset_val end, true)
     from pg_settings where name = 'lock_timeout'`,
  )
}

function onPostgres(db: QueryExecutorProvider, text: string): readonly Compilable<unknown>[] {
  return isShared(db) ? [{ compile: () => CompiledQuery.raw(text) }] : []
}
