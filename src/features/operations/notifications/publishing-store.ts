import { type Kysely, type SqlBool, sql } from 'kysely'
import type { NotificationsTable } from '../../../database/schema/operations.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { among, type Condition } from '../../../database/sql/conditions.ts'
import { lockRows, skipLockedRows } from '../../../database/sql/row-lock.ts'
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
  return meta.selectFrom('notifications').where((eb) =>
    eb.and([
      ...conditions(filter),
      ...(target === undefined ? [] : [eb('target_user_id', 'is not distinct from', target)]),
      ...(archived === undefined ? [] : [archivedOr(archived)]),
      // The rows of an audience stand for one notification, except in the list of one user.
      ...(target ? [] : [sql<SqlBool>`parent_id is null`]),
    ]),
  )
}

function archivedOr(archived: boolean): Condition {
  return archived
    ? sql<SqlBool>`archived_at is not null and held is null`
    : sql<SqlBool>`(archived_at is null or held is not null)`
}

export function lockedNotification(meta: Meta, id: string) {
  return meta.selectFrom('notifications').selectAll().where('id', '=', id).$call(lockRows(meta))
}

export function insert(meta: Meta, row: NotificationsTable) {
  return meta.insertInto('notifications').values(row)
}

/** The rows of its people show what it shows, and are archived and restored with it. */
export function updateRowsOf(meta: Meta, was: NotificationsTable, columns: Partial<NotificationsTable>) {
  if (was.audience === null) return []
  const { held, archived_at, publish_at: _, after_user_id: __, ...shown } = columns
  const archived = archived_at === undefined ? {} : { archived_at: held === 'audience' ? null : archived_at }
  const changes = { ...shown, ...archived }
  if (Object.keys(changes).length === 0) return []
  return [meta.updateTable('notifications').set(changes).where('parent_id', '=', was.id)]
}

/** One whose time has come, unless another process is publishing it. */
export function lockedDue(meta: Meta, now: number) {
  return meta
    .selectFrom('notifications')
    .selectAll()
    .where('held', '=', 'until')
    .where('publish_at', '<=', now)
    .orderBy('publish_at')
    .limit(1)
    .$call(skipLockedRows(meta))
}

/** One whose people have no rows yet, or not all of them. */
export function lockedSpreading(meta: Meta) {
  return spreading(meta).$call(skipLockedRows(meta))
}

export function spreading(db: Kysely<MetaTables>) {
  return db
    .selectFrom('notifications')
    .selectAll()
    .where('held', '=', 'audience')
    .where('after_user_id', 'is not', null)
    .orderBy('id')
    .limit(1)
}

export async function isHeld(meta: Meta, now: number): Promise<boolean> {
  const due = sql<SqlBool>`(held = 'until' and publish_at <= ${now}) or (held = 'audience' and after_user_id is not null)`
  const row = await meta.primary.selectFrom('notifications').select('id').where(due).limit(1).executeTakeFirst()
  return row !== undefined
}

/** A row for each of these people. Those who have one, since it was restored, keep it. */
export function insertRows(meta: Meta, rows: readonly NotificationsTable[]) {
  return meta.insertInto('notifications').values(rows)
}

/** The parent must be locked: rows are written only with it. */
export function peopleWithRow(meta: Meta, parentId: string, userIds: readonly string[]) {
  return meta
    .selectFrom('notifications')
    .select('target_user_id')
    .where('parent_id', '=', parentId)
    .where(among('target_user_id', userIds))
}

export function update(meta: Meta, id: string, changes: Partial<Omit<NotificationsTable, 'id'>>) {
  return meta.updateTable('notifications').set(changes).where('id', '=', id)
}
