import { type Kysely, type SqlBool, sql } from 'kysely'
import type { MetaTables } from '../../database/schema/tables.ts'

const IN_AUDIT_LOG = sql<SqlBool>`event.action <> ''`

/**
 * After a wait PostgreSQL checks the row again, but not the query that has found it: without these, of two sweeps each
 * would leave the row to the other. In this form no index takes the place of the one by id.
 */
export const STILL_AUDITED = sql<SqlBool>`coalesce(event.action, '') <> ''`
const STILL_FOR_PRODUCTS = sql<SqlBool>`coalesce(event.type, '') <> ''`

export function auditedRows(db: Kysely<MetaTables>) {
  return db.selectFrom('event').where(IN_AUDIT_LOG)
}

/**
 * At most this many of the oldest of each kind. Rows that products can still read stay, without their audit part.
 * A row that another sweep ends at the same time is locked, checked again and left to it.
 */
export function endAuditBefore(db: Kysely<MetaTables>, time: number, atMost: number) {
  const oldest = auditedRows(db)
    .select('event.id')
    .where('event.created_at', '<', time)
    .orderBy('event.created_at')
    .orderBy('event.id')
    .limit(atMost)
  return [
    db
      .deleteFrom('event')
      .where('id', 'in', oldest.where('type', 'is', null))
      .returning('id'),
    db
      .updateTable('event')
      .set({ action: '', actor_id: null, ip: null, details: '{}' })
      .where('id', 'in', oldest.where('type', 'is not', null))
      .where(STILL_FOR_PRODUCTS)
      .returning('id'),
  ] as const
}
