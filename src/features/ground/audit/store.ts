import { type SqlBool, sql } from 'kysely'
import { inParts } from '../../../database/in-parts.ts'
import { rowCount } from '../../../database/row-counts.ts'
import type { RefusedAddressTable } from '../../../database/schema/events.ts'
import { among, type Condition, createdWithin, equals } from '../../../database/sql/conditions.ts'
import type { Meta } from '../../../database/store.ts'
import { directionOf, type Page, type Slice } from '../../../rules/paging.ts'
import { emailOf, userIds } from '../../people/users/statements.ts'
import { auditedRows, endAuditBefore } from '../events/audited-statements.ts'
import type { ListAuditEntries } from './input.ts'

const SHOWN = [
  'event.id',
  'event.created_at',
  'event.action',
  'event.actor_id',
  'event.subject_type',
  'event.subject_id',
  'event.organization_id',
  'event.ip',
  'event.details',
] as const

export interface AuditFilter extends Omit<ListAuditEntries, 'search' | keyof Page> {
  readonly found?:
    | { readonly users: readonly Condition[]; readonly hash: string; readonly ip: string | undefined }
    | undefined
}

/**
 * Addresses are looked up for the entries of the page alone, one by one. For a join, PostgreSQL would plan memory for
 * as many users as the log names, although the page ends after twenty.
 */
export function page(meta: Meta, filter: AuditFilter, { offset, limit }: Slice) {
  const direction = directionOf(filter.order)
  const shown = matching(meta, filter)
    .select(SHOWN)
    .orderBy('event.created_at', direction)
    .orderBy('event.id', direction)
    .offset(offset)
    .limit(limit)
  return meta
    .selectFrom(shown.as('entry'))
    .selectAll()
    .select([
      emailOf(meta, sql.ref('entry.actor_id')).as('actor_email'),
      emailOf(meta, sql.ref('entry.subject_id')).as('subject_email'),
    ])
    .select((eb) => [
      eb.selectFrom('refused_address').select('masked').whereRef('event_id', '=', 'entry.id').as('tried_address'),
    ])
    .orderBy('entry.created_at', direction)
    .orderBy('entry.id', direction)
}

/** There are counters for all entries and for each action. */
export function hasCounter(meta: Meta, filter: AuditFilter): boolean {
  return typeof filter.action !== 'object' && besideAction(meta, filter).length === 0
}

export function count(meta: Meta, filter: AuditFilter) {
  const { action } = filter
  if (typeof action !== 'object' && hasCounter(meta, filter)) return rowCount(meta, 'audit_entry', action)
  return matching(meta, filter).select((eb) => eb.fn.countAll<number>().as('total'))
}

function matching(meta: Meta, filter: AuditFilter) {
  const { action } = filter
  const ofAction = typeof action === 'object' ? [among('action', action)] : equals('action', action)
  const conditions = [...ofAction, ...besideAction(meta, filter)]
  return auditedRows(meta).where((eb) => eb.and(conditions))
}

function besideAction(meta: Meta, filter: AuditFilter): readonly Condition[] {
  const { user_id: userId, found } = filter
  return [
    ...equals('actor_id', filter.actor_id),
    ...equals('subject_type', filter.subject_type),
    ...equals('subject_id', filter.subject_id),
    ...equals('ip', filter.ip),
    ...(userId === undefined ? [] : [sql<SqlBool>`${sql.ref('event.id')} in ${idsAbout(meta, userId)}`]),
    ...(found ? [sql<SqlBool>`${sql.ref('event.id')} in ${idsFound(meta, found)}`] : []),
    ...createdWithin(filter, 'event.created_at'),
  ]
}

/** Entries of acts by the user or on the user, from two index ranges: with `or`, SQLite would read the whole log. */
function idsAbout(meta: Meta, userId: string) {
  const done = auditedRows(meta).select('event.id').where('actor_id', '=', userId)
  return done.union(auditedRows(meta).select('event.id').where('subject_id', '=', userId))
}

/** Entries by or about a matching user, refused sign-ins with that address, and entries from that network. */
function idsFound(meta: Meta, { users: conditions, hash, ip }: NonNullable<AuditFilter['found']>) {
  const users = userIds(meta).where((eb) => eb.and(conditions))
  const done = auditedRows(meta).select('event.id').where('actor_id', 'in', users)
  const found = done
    .union(auditedRows(meta).select('event.id').where('subject_id', 'in', users))
    .union(meta.selectFrom('refused_address').select('event_id as id').where('address_hash', '=', hash))
  return ip === undefined ? found : found.union(auditedRows(meta).select('event.id').where('ip', 'like', ip))
}

export function insertRefusedAddress(meta: Meta, row: RefusedAddressTable) {
  return meta.insertInto('refused_address').values(row)
}

export function deleteRefusedAddress(meta: Meta, hash: string) {
  return meta.deleteFrom('refused_address').where('address_hash', '=', hash)
}

/** Keeps the planner off the index of actions, which would lead through everybody's sign-ins. */
function notByIndex(column: 'action') {
  return sql<string>`${sql.ref(column)} || ''`
}

export function signIns(meta: Meta, userId: string, atMost: number) {
  return auditedRows(meta)
    .select(['created_at', 'action', 'ip', 'details'])
    .where(notByIndex('action'), 'in', ['user.sign_in', 'user.sign_in_refused'])
    .where('event.id', 'in', idsAbout(meta, userId))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(atMost)
    .execute()
}

export async function deleteBefore(meta: Meta, time: number): Promise<void> {
  await inParts((atMost) => meta.batch(endAuditBefore(meta, time, atMost)))
}
