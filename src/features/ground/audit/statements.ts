import { type CreatedKey, createdAfter } from '../../../database/sql/conditions.ts'
import type { Meta } from '../../../database/store.ts'
import { auditedRows } from '../events/audited-statements.ts'

/** Two ranges of an index, each of which ends after `limit` rows. */
export function auditEntriesAfter(meta: Meta, userId: string, after: CreatedKey | undefined, limit: number) {
  const first = (who: 'actor_id' | 'subject_id') =>
    auditedRows(meta)
      .select(['event.id', 'event.created_at', 'action', 'ip', 'details'])
      .where(who, '=', userId)
      .where((eb) => eb.and([...createdAfter(after, 'event.')]))
      .orderBy('event.created_at')
      .orderBy('event.id')
      .limit(limit)
  return meta
    .selectFrom(first('actor_id').as('done'))
    .selectAll()
    .union(meta.selectFrom(first('subject_id').as('suffered')).selectAll())
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
}
