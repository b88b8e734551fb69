import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import { isShared } from './row-lock.ts'

type Types<Row> = { readonly [Name in keyof Row]: 'text' | 'bigint' }

/** Rows as a table to select from, in one parameter: the statement is the same for any number of them. */
export function jsonRows<Row extends object>(
  db: QueryExecutorProvider,
  types: Types<Row>,
  rows: readonly Row[],
): RawBuilder<Row> {
  const json = JSON.stringify(rows)
  const columns = Object.entries<'text' | 'bigint'>(types)
  if (isShared(db)) {
    const declared = sql.join(columns.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`))
    return sql<Row>`(select * from json_to_recordset(cast(${json} as json)) as given(${declared}))`
  }
  const picked = columns.map(([name]) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`)
  return sql<Row>`(select ${sql.join(picked)} from json_each(${json}))`
}
