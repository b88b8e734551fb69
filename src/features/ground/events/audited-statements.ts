import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { type CreatedKey, createdAfter } from '../../../database/sql/conditions.ts'
import { skipLockedRows } from '../../../database/sql/row-lock.ts'

const IN_AUDIT_LOG = sql<SqlBool>`event.action <> ''`

export function auditedRows(db: Kysely<MetaTables>) {
  return db.selectFrom('event').where(IN_AUDIT_LOG)
}

export function newestEntry(db: Kysely<MetaTables>) {
  return auditedRows(db).select('event.created_at').orderBy('event.created_at', 'desc').limit(1)
}

/** When the user last did something that the log lists, other than signing in. */
export function lastActOf(db: Kysely<MetaTables>, userId: Expression<string>) {
  return auditedRows(db)
    .select('event.created_at')
    .where('actor_id', '=', userId)
    .where(sql<string>`action || ''`, '<>', 'user.sign_in')
    .orderBy('event.created_at', 'desc')
    .limit(1)
}

/** Entries of acts by the user or on the user, from two index ranges, each of which ends after `limit` rows. */
export function auditEntriesAfter(
  db: Kysely<MetaTables>,
  userId: string,
  after: CreatedKey | undefined,
  limit: number,
) {
  const first = (who: 'actor_id' | 'subject_id') =>
    auditedRows(db)
      .select(['event.id', 'event.created_at', 'action', 'ip', 'details'])
      .where(who, '=', userId)
      .where((eb) => eb.and([...createdAfter(after, 'event.')]))
      .orderBy('event.created_at')
      .orderBy('event.id')
      .limit(limit)
  return db
    .selectFrom(first('actor_id').as('done'))
    .selectAll()
    .union(db.selectFrom(first('subject_id').as('suffered')).selectAll())
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
}

/**
 * Ends at most `atMost` of the oldest entries. Rows that products can still read lose only their audit part. A row
 * locked by another sweep is left for the next time: this one would not see its new state.
 */
export function endAuditBefore(db: Kysely<MetaTables>, time: number, atMost: number) {
  const oldest = auditedRows(db)
    .select('event.id')
    .where('event.created_at', '<', time)
    .orderBy('event.created_at')
    .orderBy('event.id')
    .limit(atMost)
    .$call(skipLockedRows(db))
  return [
    db
      .deleteFrom('event')
      .where('id', 'in', oldest.where('type', 'is', null))
      .returning('id'),
    db
      .updateTable('event')
      .set({ action: '', actor_id: null, ip: null, details: '{}' })
      .where('id', 'in', oldest.where('type', 'is not', null))
      .returning('id'),
  ] as const
}
