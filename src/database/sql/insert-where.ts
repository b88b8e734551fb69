import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { MetaTables } from '../schema/tables.ts'
import { integer } from './integer.ts'

/** A number is never null here, since PostgreSQL would take the null for a text. An expression reads the row found. */
type Values<Row> = {
  readonly [Column in keyof Row as number extends NonNullable<Row[Column]> ? never : Column]?:
    | Row[Column]
    | RawBuilder<Row[Column]>
} & {
  readonly [Column in keyof Row as number extends NonNullable<Row[Column]> ? Column : never]?:
    | NonNullable<Row[Column]>
    | RawBuilder<Row[Column]>
}

type Value = string | number | null | RawBuilder<unknown>

/**
 * Inserts the row if the query finds one, and nothing if its conditions do not hold. Locks nothing itself:
 * each caller says why its conditions cannot change before the commit.
 */
export function insertWhere<Table extends keyof MetaTables, Found extends keyof MetaTables, Output>(
  db: Kysely<MetaTables>,
  table: Table,
  row: Values<MetaTables[Table]>,
  found: SelectQueryBuilder<MetaTables, Found, Output>,
) {
  const names = Object.keys(row)
  const values = Object.values<Value>(row)
  return (
    db
      .insertInto(table)
      // The names are the row's own, which its type has checked.
      .columns(names as never)
      .expression(found.clearSelect().select(values.map((value, i) => selected(value).as(names[i] ?? ''))))
  )
}

function selected(value: Value): RawBuilder<unknown> {
  if (typeof value === 'number') return integer(value)
  return typeof value === 'object' && value !== null ? value : sql.val(value)
}
