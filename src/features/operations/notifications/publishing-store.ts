import type { NotificationsTable } from '../../../database/schema/operations.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import { directionOf, type Page, type Slice } from '../../../rules/paging.ts'
import type { ListAllNotifications } from './input.ts'
import { conditions } from './store.ts'

type PublishedFilter = Omit<ListAllNotifications, keyof Page>

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

export function lockedNotification(meta: Meta, id: string) {
  return meta.selectFrom('notifications').selectAll().where('id', '=', id).$call(lockRows(meta))
}

export function insert(meta: Meta, row: NotificationsTable) {
  return meta.insertInto('notifications').values(row)
}

export function update(meta: Meta, id: string, changes: Partial<Omit<NotificationsTable, 'id'>>) {
  return meta.updateTable('notifications').set(changes).where('id', '=', id)
}
