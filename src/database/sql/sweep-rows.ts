import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely'
import { skipLockedRows } from './row-lock.ts'

/** The number of rows, with several indexes, that an embedded store deletes within a few milliseconds. */
const AT_ONCE = 500

/**
 * Deletes the rows that match the condition, in parts, so that other writes run in between. Rows that are locked are
 * left for the next sweep.
 */
export async function sweepRows<Tables, Table extends keyof Tables & string>(
  db: Kysely<Tables>,
  table: Table,
  key: keyof Tables[Table] & string,
  which: (row: ExpressionBuilder<Tables, Table>) => Expression<SqlBool>,
): Promise<void> {
  // The builder cannot follow a table that only its caller knows.
  const rows = db as unknown as Kysely<Record<string, Record<string, string>>>
  const [name, column] = [String(table), String(key)]
  const found = rows.selectFrom(name).select(column)
  const keys = found
    .where((row) => which(row as never))
    .limit(AT_ONCE)
    .$call(skipLockedRows(db))
  const part = rows.deleteFrom(name).where(column, 'in', keys).returning(column)
  for (let deleted = AT_ONCE; deleted === AT_ONCE; ) deleted = (await part.execute()).length
}
