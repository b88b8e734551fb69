import { createdWithin, equals } from '../../database/conditions.ts'
import type { AuditEntryTable } from '../../database/schema.ts'
import type { Meta } from '../../database/store.ts'
import type { Slice } from '../../rules/paging.ts'
import { emails } from '../users/statements.ts'

export function insertEntry(meta: Meta, row: AuditEntryTable) {
  return meta.insertInto('audit_entry').values(row)
}

export interface AuditFilter {
  readonly action?: string | undefined
  readonly actor_id?: string | undefined
  readonly subject_type?: string | undefined
  readonly subject_id?: string | undefined
  readonly created_at_start?: number | undefined
  readonly created_at_end?: number | undefined
}

export function page(meta: Meta, filter: AuditFilter, { offset, limit }: Slice) {
  return matching(meta, filter)
    .leftJoin(emails(meta).as('actor'), 'actor.id', 'audit_entry.actor_id')
    .selectAll('audit_entry')
    .select('actor.email as actor_email')
    .orderBy('audit_entry.created_at', 'desc')
    .orderBy('audit_entry.id', 'desc')
    .offset(offset)
    .limit(limit)
}

export function count(meta: Meta, filter: AuditFilter) {
  return matching(meta, filter).select((eb) => eb.fn.countAll<number>().as('total'))
}

function matching(meta: Meta, filter: AuditFilter) {
  return meta
    .selectFrom('audit_entry')
    .where((eb) =>
      eb.and([
        ...equals('action', filter.action),
        ...equals('actor_id', filter.actor_id),
        ...equals('subject_type', filter.subject_type),
        ...equals('subject_id', filter.subject_id),
        ...createdWithin(filter, 'audit_entry.created_at'),
      ]),
    )
}

/** What concerns one user, done by or to them. */
export function concerning(meta: Meta, userId: string) {
  return meta
    .selectFrom('audit_entry')
    .select(['created_at', 'action', 'ip', 'details'])
    .where((eb) => eb.or([eb('actor_id', '=', userId), eb('subject_id', '=', userId)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function deleteBefore(meta: Meta, time: number): Promise<void> {
  await meta.deleteFrom('audit_entry').where('created_at', '<', time).execute()
}
