import type { Meta, Shard } from '../../database/store.ts'
import { sliceOf } from '../../rules/paging.ts'
import { writeAs } from '../shards/residents.ts'
import type { ListNotifications } from './input.ts'
import * as marksStore from './marks-store.ts'
import * as store from './store.ts'

/** Rules 3 and 4: newest first, each with the caller's own mark. */
export function listNotifications(
  meta: Meta,
  shard: Shard,
  userId: string,
  { read, page, page_size, ...filter }: ListNotifications,
) {
  const slice = sliceOf({ page, page_size })
  return read === undefined
    ? visiblePage(meta, shard, userId, filter, slice)
    : pageByRead(meta, shard, userId, filter, slice, read)
}

type Slice = ReturnType<typeof sliceOf>

async function visiblePage(
  meta: Meta,
  shard: Shard,
  userId: string,
  filter: store.VisibleFilter,
  slice: Slice,
) {
  const { total, rows } = await store.visiblePage(meta, userId, filter, slice)
  const ids = rows.map(({ id }) => id)
  const marks = await marksStore.readMarksAmong(shard, userId, ids)
  return { items: rows.map((row) => itemOf(row, marks.has(row.id))), total }
}

async function pageByRead(
  meta: Meta,
  shard: Shard,
  userId: string,
  filter: store.VisibleFilter,
  { offset, limit }: Slice,
  read: boolean,
) {
  const ids = await idsByRead(meta, shard, userId, filter, read)
  const page = ids.slice(offset, offset + limit)
  const rowOf = new Map((await store.byIds(meta, page)).map((row) => [row.id, row]))
  const rows = page.flatMap((id) => rowOf.get(id) ?? [])
  return { items: rows.map((row) => itemOf(row, read)), total: ids.length }
}

/** Rule 4. Ids and marks live in different stores and meet in memory. */
async function idsByRead(
  meta: Meta,
  shard: Shard,
  userId: string,
  filter: store.VisibleFilter,
  read: boolean,
): Promise<readonly string[]> {
  const [ids, marks] = await Promise.all([
    store.visibleIds(meta, userId, filter),
    marksStore.readMarks(shard, userId),
  ])
  return ids.filter((id) => marks.has(id) === read)
}

/** By name: spreading the rows of a store is several times slower. */
function itemOf({ id, type, title, content, created_at }: store.Row, read: boolean) {
  return { id, type, title, content, read, created_at }
}

export async function countUnread(meta: Meta, shard: Shard, userId: string): Promise<number> {
  return (await unreadIds(meta, shard, userId)).length
}

function unreadIds(meta: Meta, shard: Shard, userId: string) {
  return idsByRead(meta, shard, userId, {}, false)
}

/** Rule 5: no look-up first; an unknown id is marked too. */
export async function readNotification(shard: Shard, userId: string, id: string): Promise<void> {
  await writeAs(shard, userId, [marksStore.insertReadMarks(shard, userId, [id])])
}

/** Returns how many were newly marked as read. */
export async function readAllNotifications(meta: Meta, shard: Shard, userId: string): Promise<number> {
  const unread = await unreadIds(meta, shard, userId)
  if (unread.length === 0) return 0
  const marks = chunksOf(unread, MARKS_IN_ONE_STATEMENT).map((ids) =>
    marksStore.insertReadMarks(shard, userId, ids),
  )
  const marked = await writeAs(shard, userId, marks)
  return marked.reduce((count, rows) => count + rows.length, 0)
}

/** For the user's own export: what was sent to them alone, and what they have read. */
export async function notificationsOf(meta: Meta, shard: Shard, userId: string) {
  const [targeted, marks] = await Promise.all([
    store.targetedAt(meta, userId),
    marksStore.readMarks(shard, userId),
  ])
  return { targeted, read: [...marks] }
}

/** For a batch that erases a user; returns the ids that went. */
export function eraseReadMarks(shard: Shard, userId: string, atMost: number) {
  return marksStore.deleteSomeReadMarks(shard, userId, atMost)
}

const MARKS_IN_ONE_STATEMENT = 500

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
}
