import { type SqlBool, sql } from 'kysely'
import type { MetaTables } from '../schema/tables.ts'
import type { Condition } from './conditions.ts'

/** Matches one owner's rows older than the newest `kept`. Their ids are in the order of time. */
export function isBeyondNewest<Table extends keyof MetaTables & string>(
  table: Table,
  owner: keyof MetaTables[Table] & string,
  ownerId: string,
  kept: number,
): Condition {
  const last = sql`select id from ${sql.table(table)} where ${sql.ref(owner)} = ${ownerId}
    order by id desc limit 1 offset ${sql.lit(kept)}`
  return sql<SqlBool>`${sql.ref(owner)} = ${ownerId} and id <= (${last})`
}
