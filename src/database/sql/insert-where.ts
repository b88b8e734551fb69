import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { MetaTables } from '../schema/tables.ts'
import type { Meta } from '../store.ts'
import { integer } from './integer.ts'

/** A number is never null here, since PostgreSQL would take the null for a text. */
type Values<Row> = {
  readonly [Column in keyof Row as number extends NonNullable<Row[Column]> ? never : Column]?: Row[Column]
} & {
  readonly [Column in keyof Row as number extends NonNullable<Row[Column]> ? Column : never]?: NonNullable<
    Row[Column]
  >
}

/**
 * Inserts the row if the query finds one, and nothing if its conditions do not hold. Locks nothing itself:
 * each caller says why its conditions cannot change before the commit.
 */
export function insertWhere<Table extends keyof MetaTables, Found extends keyof MetaTables, Output>(
  meta: Meta,
  table: Table,
  row: Values<MetaTables[Table]>,
  found: SelectQueryBuilder<MetaTables, Found, Output>,
) {
  const names = Object.keys(row)
  const values = Object.values<string | number | null>(row)
  return (
    meta
      .insertInto(table)
      // The names are the row's own, which its type has checked.
      .columns(names as never)
      .expression(found.clearSelect().select(values.map((value, i) => parameter(value).as(names[i] ?? ''))))
  )
}

function parameter(value: string | number | null): RawBuilder<string | number | null> {
  return typeof value === 'number' ? integer(value) : sql.val(value)
}
