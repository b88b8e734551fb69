import type { Meta, Shard } from '../../database/store.ts'
import type { Platform } from '../../platform/platform.ts'
import { type Slice, sliceOf } from '../../rules/paging.ts'
import { writeAs } from '../shards/residents.ts'
import type { ListNotifications } from './input.ts'
import * as marksStore from './marks-store.ts'
import { filteredReadStates, type ReadStates, readStatesOf, versionOf } from './read-states.ts'
import * as store from './store.ts'

/** Rules 3 and 4: newest first, each with the caller's own mark. */
export function listNotifications(
  platform: Platform,
  shard: Shard,
  userId: string,
  { read, page, page_size, ...filter }: ListNotifications,
) {
  const slice = sliceOf({ page, page_size })
  if (read !== undefined) return pageByRead(platform, shard, userId, filter, slice, read ? 'read' : 'unread')
  return isUnfiltered(filter)
    ? unfilteredPage(platform, shard, userId, slice)
    : filteredPage(platform.meta, shard, userId, filter, slice)
}

interface ListPage {
  readonly items: ReturnType<typeof itemOf>[]
  readonly total: number
}

/** Both counters are read before what they count, so that a page is never older than what it is kept under. */
async function unfilteredPage(
  platform: Platform,
  shard: Shard,
  userId: string,
  slice: Slice,
): Promise<ListPage> {
  const { meta, recent } = platform
  const [revision, writes] = await Promise.all([store.revision(meta), marksStore.writesOf(shard, userId)])
  const key = `notifications of ${userId} in ${shard.name}, ${slice.limit} from ${slice.offset}`
  const known = recent.recall<ListPage>(key, versionOf(revision, writes))
  if (known) return known
  const [total, rows] = await rowsOfAll(platform, userId, slice)
  const page = await marked(shard, userId, total, rows)
  recent.remember(key, versionOf(revision, writes), page, 1 + page.items.length)
  return page
}

async function filteredPage(
  meta: Meta,
  shard: Shard,
  userId: string,
  filter: store.VisibleFilter,
  slice: Slice,
): Promise<ListPage> {
  const [total, rows] = await Promise.all([
    store.countVisible(meta, userId, filter),
    store.visiblePage(meta, userId, filter, slice),
  ])
  return marked(shard, userId, total, rows)
}

async function marked(shard: Shard, userId: string, total: number, rows: readonly Row[]): Promise<ListPage> {
  const ids = rows.map(({ id }) => id)
  const marks = await marksStore.readMarksAmong(shard, userId, ids)
  return { items: rows.map((row) => itemOf(row, marks.has(row.id))), total }
}

/** What is for everyone is counted and read once for each change of it, and most people have nothing else. */
async function rowsOfAll(platform: Platform, userId: string, slice: Slice) {
  const { meta } = platform
  const { targeted, revision } = await store.targetedAndRevision(meta, userId)
  return Promise.all([
    everyonesCount(platform, revision).then((count) => count + targeted),
    targeted === 0 ? everyonesPage(platform, revision, slice) : store.pageOfAll(meta, userId, slice),
  ])
}

async function pageByRead(
  platform: Platform,
  shard: Shard,
  userId: string,
  filter: store.VisibleFilter,
  { offset, limit }: Slice,
  wanted: keyof ReadStates,
) {
  const { [wanted]: ids } = await (isUnfiltered(filter)
    ? readStatesOf(platform, shard, userId)
    : filteredReadStates(platform, shard, userId, filter))
  const page = ids.slice(offset, offset + limit)
  const rowOf = new Map((await store.byIds(platform.meta, page)).map((row) => [row.id, row]))
  const items = page.flatMap((id) => rowOf.get(id) ?? [])
  return { items: items.map((row) => itemOf(row, wanted === 'read')), total: ids.length }
}

async function everyonesCount({ meta, recent }: Platform, revision: string): Promise<number> {
  const known = recent.recall<number>(FOR_EVERYONE, revision)
  if (known !== undefined) return known
  const counted = await store.everyonesAndRevision(meta)
  recent.remember(FOR_EVERYONE, counted.revision, counted.everyones, 1)
  return counted.everyones
}

async function everyonesPage(
  { meta, recent }: Platform,
  revision: string,
  slice: Slice,
): Promise<readonly Row[]> {
  const key = `${FOR_EVERYONE}, ${slice.limit} from ${slice.offset}`
  const known = recent.recall<readonly Row[]>(key, revision)
  if (known !== undefined) return known
  const page = await store.everyonesPage(meta, slice)
  const letters = page.reduce((sum, { title, content }) => sum + title.length + content.length, 0)
  recent.remember(key, revision, page, 1 + page.length + letters / LETTERS_OF_AN_ID)
  return page
}

const FOR_EVERYONE = 'notifications for everyone'
/** What is remembered is weighed in ids. */
const LETTERS_OF_AN_ID = 36

type Row = Awaited<ReturnType<typeof store.pageOfAll>>[number]

/** By name: spreading the rows of a store is several times slower. */
function itemOf({ id, type, title, content, created_at }: Row, read: boolean) {
  return { id, type, title, content, read, created_at }
}

function isUnfiltered(filter: store.VisibleFilter): boolean {
  return Object.values(filter).every((value) => value === undefined)
}

export async function countUnread(platform: Platform, shard: Shard, userId: string): Promise<number> {
  return (await readStatesOf(platform, shard, userId)).unread.length
}

/** Rule 5: no look-up first; an unknown id is marked too. */
export async function readNotification(shard: Shard, userId: string, id: string): Promise<void> {
  await writeAs(shard, userId, [marksStore.insertReadMarks(shard, userId, [id])])
}

/** Answers how many became read. */
export async function readAllNotifications(
  platform: Platform,
  shard: Shard,
  userId: string,
): Promise<number> {
  const { unread } = await readStatesOf(platform, shard, userId)
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
  return { targeted, read: [...marks.ids] }
}

/** For a batch that erases a user; answers which ones went. */
export function eraseReadMarks(shard: Shard, userId: string, atMost: number) {
  return marksStore.deleteSomeReadMarks(shard, userId, atMost)
}

const MARKS_IN_ONE_STATEMENT = 500

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
}
