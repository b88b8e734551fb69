import { type Compilable, CompiledQuery, type QueryExecutorProvider } from 'kysely'
import { isShared } from '../sql/row-lock.ts'

/**
 * Applies to the rest of the batch. Another process may be applying a migration, and inserting its name waits for that
 * however long it takes.
 */
export function noLimits(db: QueryExecutorProvider): readonly Compilable<unknown>[] {
  return onPostgres(db, `select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`)
}

/**
 * Applies to the rest of the batch. Requests queue behind a statement that waits for a lock, so it waits only briefly,
 * even if the role behind a PgBouncer has no limit.
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
