import { type QueryExecutorProvider, type SqlBool, sql } from 'kysely'
import { isShared } from './row-lock.ts'

const SEPARATOR = '\n'

/** A column's values as one text: many short values cost more as rows. */
export function joined(column: string) {
  return sql<string | null>`string_agg(${sql.ref(column)}, ${SEPARATOR})`
}

export function split(values: string | null): readonly string[] {
  return values === null ? [] : values.split(SEPARATOR)
}

/** The same as a JSON array, for values that can contain any character; only rows that match the condition count. */
export function joinedAsJson(db: QueryExecutorProvider, column: string, condition = sql<SqlBool>`1 = 1`) {
  return isShared(db)
    ? sql<string>`cast(coalesce(json_agg(${sql.ref(column)}) filter (where ${condition}), '[]') as text)`
    : sql<string>`json_group_array(${sql.ref(column)}) filter (where ${condition})`
}
