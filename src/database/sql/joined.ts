import { sql } from 'kysely'

const SEPARATOR = '\n'

/** A column's values as one text: many short values cost more as rows. */
export function joined(column: string) {
  return sql<string | null>`string_agg(${sql.ref(column)}, ${SEPARATOR})`
}

export function split(values: string | null): readonly string[] {
  return values === null ? [] : values.split(SEPARATOR)
}
