import type { Compilable, QueryExecutorProvider } from 'kysely'
import { isShared } from './row-lock.ts'

interface Change<Row, Changed> {
  /** One statement for all of them. */
  readonly all: (rows: readonly Row[]) => Compilable<Changed>
  /** A prepared statement for one row. */
  readonly one: (row: Row) => Compilable<Changed>
}

/**
 * Changes rows found by their key: in one statement on a server, in one for each row in an embedded store. There a
 * join with given rows reads the whole table for each of them if `ANALYZE` has seen the table when it was small.
 */
export function changeRows<Row, Changed>(
  db: QueryExecutorProvider,
  rows: readonly Row[],
  { all, one }: Change<Row, Changed>,
): readonly Compilable<Changed>[] {
  if (rows.length === 0) return []
  return isShared(db) ? [all(rows)] : rows.map(one)
}
