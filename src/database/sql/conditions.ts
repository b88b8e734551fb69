import { type QueryExecutorProvider, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { CreatedRange } from '../../rules/paging.ts'
import { isShared } from './row-lock.ts'

export type Condition = RawBuilder<SqlBool>

/** Both ends are inclusive. */
export function createdWithin(range: CreatedRange, column = 'created_at'): readonly Condition[] {
  const { created_at_start: start, created_at_end: end } = range
  return [
    ...(start === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} >= ${start}`]),
    ...(end === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} <= ${end}`]),
  ]
}

/** The last row of the page before; the id makes the order total. */
export interface CreatedKey {
  readonly created_at: number
  readonly id: string
}

/** Orders by creation. */
export function createdAfter(key: CreatedKey | undefined, table = ''): readonly Condition[] {
  if (key === undefined) return []
  const [created, id] = ['created_at', 'id'].map((name) => sql.ref(`${table}${name}`))
  return [sql<SqlBool>`(${created}, ${id}) > (${key.created_at}, ${key.id})`]
}

/** False for every row if there are no values. */
export function among(column: string, values: readonly string[]): Condition {
  return values.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${sql.ref(column)} in (${sql.join(values)})`
}

/** The values are one parameter, a JSON array of texts, so a statement that is compiled once fits any number of them. */
export function amongJson(db: QueryExecutorProvider, column: string, values: string): Condition {
  return isShared(db)
    ? sql<SqlBool>`${sql.ref(column)} = any(array(select json_array_elements_text(cast(${values} as json))))`
    : sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${values}))`
}

/** Adds no condition if the value is undefined. */
export function equals(column: string, value: string | undefined): readonly Condition[] {
  return value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} = ${value}`]
}

/** A pattern for `like … escape '\\'`. */
export function anywhere(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** Anywhere in the text, in any case. SQLite’s `like` ignores case by itself, in two thirds of the time. */
export function contains(db: QueryExecutorProvider, column: string, text: string | undefined): readonly Condition[] {
  if (text === undefined) return []
  const pattern = anywhere(text)
  return isShared(db)
    ? [sql<SqlBool>`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`]
    : [sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`]
}
