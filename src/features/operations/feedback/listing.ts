import { lengthOf } from '../../../database/sql/page-with-total.ts'
import type { Shard } from '../../../database/store.ts'
import { StoreUnavailable } from '../../../database/store.ts'
import { mapInTurns } from '../../../http/answers/long-list.ts'
import type { Platform } from '../../../platform/platform.ts'
import { sliceOf } from '../../../rules/paging.ts'
import { namesOfUsers } from '../../people/users/statements.ts'
import { type Copies, copiesUnderWay } from '../../tenancy/shards/copies.ts'
import { readAs } from '../../tenancy/shards/reading.ts'
import { readableShards } from '../../tenancy/shards/shards.ts'

import type { ListFeedbacks, ListOwnFeedbacks } from './input.ts'
import { inParts, mergedPage, type Source } from './merge.ts'
import { feedbackCounter } from './statements.ts'
import * as store from './store.ts'

// While a shard is being emptied, a user changes shards every few reads; this many in a row are never disturbed.
const ATTEMPTS = 20

/**
 * Rule 2's list: every matching row of every shard, at a cost that depends on the page. The rows of a user who
 * is being moved are read only in the home shard; if anybody's home changed in the meantime, the list is read
 * again.
 */
export async function listFeedbacks(platform: Platform, input: ListFeedbacks) {
  let copies = await copiesUnderWay(platform.meta)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const list = await listBeside(copies, platform, input)
    const meanwhile = await copiesUnderWay(platform.meta)
    if (list && meanwhile.moment === copies.moment) return { ...list, items: await withHandlers(platform, list.items) }
    copies = meanwhile
  }
  throw new StoreUnavailable('shards')
}

/** Shows users who are gone as nobody. */
async function withHandlers<Row extends { readonly handled_by: string | null }>(
  { meta }: Platform,
  rows: readonly Row[],
) {
  const names = await namesOfUsers(meta, [...new Set(rows.flatMap(({ handled_by }) => handled_by ?? []))])
  return rows.map(({ handled_by: id, ...row }) => {
    const name = id === null ? undefined : names.get(id)
    return { ...row, handled_by: id === null || name === undefined ? null : { id, name } }
  })
}

/** By the number of the day in UTC. A user who is being moved can count twice for a moment. */
export async function feedbackByDay(platform: Platform, since: number): Promise<ReadonlyMap<number, number>> {
  const shards = await readableShards(platform)
  const rows = (await Promise.all(shards.map((shard) => store.byDay(shard, since).execute()))).flat()
  const counts = new Map<number, number>()
  for (const { day, count } of rows) counts.set(Number(day), (counts.get(Number(day)) ?? 0) + Number(count))
  return counts
}

/** Undefined if rows were deleted while rows before the page were skipped. */
async function listBeside(copies: Copies, platform: Platform, { page, page_size, ...filter }: ListFeedbacks) {
  const shards = await readableShards(platform)
  const sources = shards.map((shard) => sourceOf({ shard, hidden: copies.in(shard.name) }, filter))
  const slice = sliceOf({ page, page_size })
  const { items, total } = await mergedPage(sources, slice, filter.order)
  const expected = Math.min(slice.limit, Math.max(0, total - slice.offset))
  return items.length === expected ? { items: await mapInTurns(items, withContext), total } : undefined
}

/** Read from the primary: an administrator's bookmark says nothing about other users' shards. */
function sourceOf(view: store.ListedShard, filter: store.FeedbackFilter): Source<store.FeedbackRow> {
  const { shard } = view
  const lengthFor = (offset: number) => (hasCounter(filter) ? lengthOf({ offset }) : 'long')
  return {
    async keyAfter(after, steps) {
      const statements = [store.keyAfter(view, filter, after, steps)] as const
      const [[key]] = await shard.snapshot(statements, 'primary', lengthFor(steps))
      return key
    },
    async totalAndKeys(after, limit) {
      const statements = [total(view, filter), store.keys(view, filter, after, limit)] as const
      const [[counted], keys] = await shard.snapshot(statements, 'primary', lengthFor(limit))
      return { total: Number(counted?.count ?? 0), keys }
    },
    rowsWith: (ids) => store.rowsWith(shard.primary, ids).execute(),
  }
}

/** A user's own feedback, newest first, with the answers. */
export async function listOwnFeedbacks(platform: Platform, shard: Shard, userId: string, page: ListOwnFeedbacks) {
  const read = await readAs(platform, shard, userId, (at) => [
    feedbackCounter(at, 'user', userId),
    store.newestKeysOf(at, userId, sliceOf(page)),
  ])
  const [[counted], keys] = read.rows
  const items = await inParts(keys, async (ids) => {
    const { rows } = await readAs(platform, shard, userId, (at) => [store.ownWith(at, userId, ids)])
    return rows[0].map(withContext)
  })
  return { items, total: Number(counted?.feedbacks ?? 0) }
}

export function withContext<Row extends { readonly context: string }>(row: Row) {
  const context: Readonly<Record<string, string>> = JSON.parse(row.context)
  return { ...row, context }
}

/** There are counters for all rows, for one user and for one type. */
function hasCounter({ order: _, user_id, type, ...others }: store.FeedbackFilter): boolean {
  const isCounted = user_id === undefined || type === undefined
  return isCounted && Object.values(others).every((value) => value === undefined)
}

function total(view: store.ListedShard, filter: store.FeedbackFilter) {
  if (!hasCounter(filter)) return store.countMatching(view, filter)
  if (filter.user_id !== undefined) return store.countSeen(view, 'user', filter.user_id, filter)
  if (filter.type !== undefined) return store.countSeen(view, 'type', filter.type, filter)
  return store.countSeen(view, 'all', '', filter)
}
