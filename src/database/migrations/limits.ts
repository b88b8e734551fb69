import { type Compilable, CompiledQuery, type QueryExecutorProvider } from 'kysely'
import { isShared } from '../sql/row-lock.ts'

/**
 * Lifts the limits for the rest of the batch: inserting the name of a migration waits for another process that is
 * applying it, however long that takes.
 */
export function noLimits(db: QueryExecutorProvider): readonly Compilable<unknown>[] {
  return onPostgres(db, `select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`)
}

/**
 * Limits waits for locks in the rest of the batch, because requests queue behind a statement that waits for one. Behind
 * a PgBouncer the role may have no limit of its own.
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
