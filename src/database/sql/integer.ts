import { sql } from 'kysely'

/** A number in a select list, where PostgreSQL would treat a bare parameter as text. */
export function integer(value: number) {
  return sql<number>`cast(${value} as bigint)`
}
