import type { Shard } from '../../../database/store.ts'
import type { ProtectedCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { type Slice, sliceOf } from '../../../rules/paging.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { readAs } from '../../tenancy/shards/reading.ts'
import { decideAs, writeAs } from '../../tenancy/shards/residents.ts'
import type { ListNotifications } from './input.ts'
import * as marksStore from './marks-store.ts'
import * as store from './store.ts'
import { languageOfReader, worded } from './wording.ts'

/** Rules 3 and 4: newest first, each with the caller's own mark. */
export async function listNotifications(call: ProtectedCall, { read, page, page_size, ...filter }: ListNotifications) {
  const { platform, shard, caller } = call
  const slice = sliceOf({ page, page_size })
  const { items, total } =
    read === undefined
      ? await visiblePage(platform, shard, caller.user.id, filter, slice)
      : await pageByRead(platform, shard, caller.user.id, filter, slice, read)
  const isWorded = items.some(({ kind }) => kind !== null)
  const language = isWorded ? await languageOfReader(call) : 'en'
  return { items: items.map((item) => worded(language, item)), total }
}

async function visiblePage(
  platform: Platform,
  shard: Shard,
  userId: string,
  filter: store.VisibleFilter,
  slice: Slice,
) {
  const { total, rows } = await store.visiblePage(platform.meta, userId, filter, slice)
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return { items: [], total }
  const read = await readAs(platform, shard, userId, (at) => [marksStore.marksAmong(at, userId, ids)])
  const marks = new Set(read.rows[0].map(({ notification_id }) => notification_id))
  return { items: rows.map((row) => itemOf(row, marks.has(row.id))), total }
}

async function pageByRead(
  platform: Platform,
  shard: Shard,
  userId: string,
  filter: store.VisibleFilter,
  { offset, limit }: Slice,
  read: boolean,
) {
  const ids = await idsByRead(platform, shard, userId, filter, read)
  const page = ids.slice(offset, offset + limit)
  const rowOf = new Map((await store.byIds(platform.meta, page)).map((row) => [row.id, row]))
  const rows = page.flatMap((id) => rowOf.get(id) ?? [])
  return { items: rows.map((row) => itemOf(row, read)), total: ids.length }
}

/** Rule 4. Ids and marks are in different stores, so they are compared in memory. */
async function idsByRead(
  platform: Platform,
  shard: Shard,
  userId: string,
  filter: store.VisibleFilter,
  read: boolean,
): Promise<readonly string[]> {
  const [ids, { rows }] = await Promise.all([
    store.visibleIds(platform.meta, userId, filter),
    readAs(platform, shard, userId, (at) => [marksStore.allMarks(at, userId)]),
  ])
  const marked = new Set<string>(JSON.parse(rows[0][0]?.ids ?? '[]'))
  return ids.filter((id) => marked.has(id) === read)
}

/** Copies field by field, because spreading a store's rows is several times slower. */
function itemOf({ id, type, title, content, kind, data, link, level, created_at }: store.Row, read: boolean) {
  return { id, type, title, content, kind, data, link, level, read, created_at }
}

export async function countUnread(platform: Platform, shard: Shard, userId: string): Promise<number> {
  return (await unreadIds(platform, shard, userId)).length
}

function unreadIds(platform: Platform, shard: Shard, userId: string) {
  return idsByRead(platform, shard, userId, {}, false)
}

/** Rule 5: no look-up of the notification first; an unknown id is marked too. */
export async function readNotification(shard: Shard, userId: string, id: string): Promise<void> {
  const mark = marksStore.readMark(shard, { userId, id })
  const rows = await writeAs(shard, userId, marksStore.insertReadMark(shard, { userId, id }), mark)
  if (rows.of(mark).length > 0) return
  const most = marksStore.MOST_READ_MARKS.toLocaleString('en')
  throw new Refusal('QUOTA_EXCEEDED', `You have marked ${most} notifications as read, the most that are kept.`)
}

/** Returns how many were newly marked as read. */
export async function readAllNotifications(platform: Platform, shard: Shard, userId: string): Promise<number> {
  const unread = await unreadIds(platform, shard, userId)
  if (unread.length === 0) return 0
  const marks = chunksOf(unread, MARKS_IN_ONE_STATEMENT).map((ids) => marksStore.insertReadMarks(shard, userId, ids))
  const marked = await decideAs({ platform }, shard, userId, marks, async (_, ...rows) => rows)
  return marked.flat().length
}

const MARKS_IN_ONE_STATEMENT = 500

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
}
