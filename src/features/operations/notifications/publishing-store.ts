import { type SqlBool, sql } from 'kysely'
import type { Guard } from '../../../database/guard.ts'
import type { NotificationsTable } from '../../../database/schema/operations.ts'
import type { Meta } from '../../../database/store.ts'
import { directionOf, type Order, type Slice } from '../../../rules/paging.ts'
import type { UpdateNotification } from './input.ts'
import { conditions, type VisibleFilter } from './store.ts'

interface PublishedFilter extends VisibleFilter {
  readonly target_user_id?: string | null | undefined
  readonly archived?: boolean | undefined
  readonly order: Order
}

export function publishedPage(meta: Meta, filter: PublishedFilter, { offset, limit }: Slice) {
  const direction = directionOf(filter.order)
  return published(meta, filter)
    .selectAll()
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .offset(offset)
    .limit(limit)
}

export function publishedTotal(meta: Meta, filter: PublishedFilter) {
  return published(meta, filter).select((eb) => eb.fn.countAll<number>().as('total'))
}

function published(meta: Meta, filter: PublishedFilter) {
  const { target_user_id: target, archived } = filter
  return meta
    .selectFrom('notifications')
    .where((eb) =>
      eb.and([
        ...conditions(filter),
        ...(target === undefined ? [] : [eb('target_user_id', 'is not distinct from', target)]),
        ...(archived === undefined ? [] : [eb('archived_at', archived ? 'is not' : 'is', null)]),
      ]),
    )
}

export function find(meta: Meta, id: string) {
  return meta.primary.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirst()
}

/** A condition: it has not been deleted with the user to whom it was sent. */
export function isThere(meta: Meta, id: string) {
  return meta.selectFrom('notifications').select('id').where('id', '=', id)
}

export function insert(meta: Meta, row: NotificationsTable) {
  return meta.insertInto('notifications').values(row)
}

export function update(meta: Meta, id: string, changes: Omit<UpdateNotification, 'id'>, now: number) {
  return meta
    .updateTable('notifications')
    .set({ ...changes, updated_at: now })
    .where('id', '=', id)
    .returningAll()
}

/** Keeps the time of the first archiving. */
export function archive(meta: Meta, id: string, now: number) {
  return meta
    .updateTable('notifications')
    .set((eb) => ({ archived_at: eb.fn.coalesce('archived_at', eb.val(now)) }))
    .where('id', '=', id)
    .returningAll()
}

export function restore(meta: Meta, id: string) {
  return meta.updateTable('notifications').set({ archived_at: null }).where('id', '=', id).returningAll()
}

/** A guard: the row is locked, and fails the batch if it was archived, restored or edited since. */
export function whileAsRead(
  meta: Meta,
  { id, updated_at, archived_at }: NotificationsTable,
  refused: Guard['refused'],
): Guard {
  const isSame = sql<SqlBool>`updated_at = ${updated_at}
    and coalesce(archived_at, -1) = ${archived_at ?? -1}`
  return {
    statement: meta
      .updateTable('notifications')
      .set({ created_at: sql<number>`case when ${isSame} then created_at end` })
      .where('id', '=', id),
    table: 'notifications',
    column: 'created_at',
    refused,
  }
}
