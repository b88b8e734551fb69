import { sql } from 'kysely'

/** A number in a select list: PostgreSQL takes a bare parameter there for text. */
export function integer(value: number) {
  return sql<number>`cast(${value} as bigint)`
}
