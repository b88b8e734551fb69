import { type Slice, sliceOf } from '../../http/page.ts'
import type { Meta, Shard } from '../../platform/store.ts'
import { writeAs } from '../shards/residents.ts'
import type { ListNotifications } from './input.ts'
import * as store from './store.ts'

/** Rules 3 and 4: newest first, each with the caller's own mark. */
export function listNotifications(meta: Meta, shard: Shard, userId: string, filter: ListNotifications) {
  const { read, ...visible } = filter
  const slice = sliceOf(filter)
  return read === undefined
    ? pageOfAll(meta, shard, userId, visible, slice)
    : pageByRead(meta, shard, userId, visible, slice, read ? 'read' : 'unread')
}

async function pageOfAll(
  meta: Meta,
  shard: Shard,
  userId: string,
  filter: store.VisibleFilter,
  slice: Slice,
) {
  const [total, rows] = await Promise.all([
    store.countVisible(meta, userId, filter),
    store.visiblePage(meta, userId, filter, slice),
  ])
  const ids = rows.map(({ id }) => id)
  const marks = ids.length === 0 ? new Set() : await store.readMarksAmong(shard, userId, ids)
  return { items: rows.map((row) => ({ ...row, read: marks.has(row.id) })), total }
}

/** Keys and marks meet in memory, since they live in different stores; only the page's rows are fetched. */
async function pageByRead(
  meta: Meta,
  shard: Shard,
  userId: string,
  filter: store.VisibleFilter,
  { offset, limit }: Slice,
  wanted: 'read' | 'unread',
) {
  const ids = await visibleIds(meta, shard, userId, filter, wanted)
  const page = ids.slice(offset, offset + limit)
  const rows = page.length === 0 ? [] : await store.byIds(meta, page)
  const rowOf = new Map(rows.map((row) => [row.id, row]))
  const items = page.flatMap((id) => rowOf.get(id) ?? [])
  return { items: items.map((row) => ({ ...row, read: wanted === 'read' })), total: ids.length }
}

async function visibleIds(
  meta: Meta,
  shard: Shard,
  userId: string,
  filter: store.VisibleFilter,
  wanted: 'read' | 'unread',
): Promise<readonly string[]> {
  const [ids, marks] = await Promise.all([
    store.visibleIds(meta, userId, filter),
    store.allReadMarks(shard, userId),
  ])
  return ids.filter((id) => marks.has(id) === (wanted === 'read'))
}

export async function countUnread(meta: Meta, shard: Shard, userId: string): Promise<number> {
  return (await visibleIds(meta, shard, userId, {}, 'unread')).length
}

/** Rule 5: no look-up first; an unknown id is marked too. */
export async function readNotification(shard: Shard, userId: string, id: string): Promise<void> {
  await writeAs(shard, userId, [store.insertReadMarks(shard, userId, [id])])
}

/** Answers how many became read. */
export async function readAllNotifications(meta: Meta, shard: Shard, userId: string): Promise<number> {
  const unread = await visibleIds(meta, shard, userId, {}, 'unread')
  if (unread.length === 0) return 0
  const marks = chunksOf(unread, MARKS_IN_ONE_STATEMENT).map((ids) =>
    store.insertReadMarks(shard, userId, ids),
  )
  const marked = await writeAs(shard, userId, marks)
  return marked.reduce((count, rows) => count + rows.length, 0)
}

/** For the user's own export: what was sent to them alone, and what they have read. */
export async function notificationsOf(meta: Meta, shard: Shard, userId: string) {
  const [targeted, marks] = await Promise.all([
    store.targetedAt(meta, userId),
    store.allReadMarks(shard, userId),
  ])
  return { targeted, read: [...marks] }
}

/** For the batch that erases a user. */
export function eraseReadMarks(shard: Shard, userId: string) {
  return store.deleteReadMarks(shard, userId)
}

const MARKS_IN_ONE_STATEMENT = 500

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
}
