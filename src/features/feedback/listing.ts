import { sliceOf } from '../../http/page.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Shard } from '../../platform/store.ts'
import { readableShards } from '../shards/shards.ts'
import type { ListFeedbacks } from './input.ts'
import { keysOfPage } from './merge.ts'
import * as store from './store.ts'

/** Rule 2's answer, every matching row of every shard, at a cost that follows the page. */
export async function listFeedbacks(platform: Platform, { page, page_size, ...filter }: ListFeedbacks) {
  const shards = await readableShards(platform)
  const slice = sliceOf({ page, page_size })
  const totals = await Promise.all(shards.map((shard) => totalIn(shard, filter)))
  const total = totals.reduce((sum, count) => sum + count, 0)
  if (slice.offset >= total) return { items: [], total }
  const sources = shards.map((shard) => ({
    shard,
    keys: (after: store.Key | undefined, part: typeof slice) => store.keys(shard, filter, after, part),
  }))
  return { items: await rowsOf(await keysOfPage(sources, slice)), total }
}

export function countFeedbacksOf(shard: Shard, userId: string): Promise<number> {
  return store.countOf(shard, 'user', userId)
}

/** Counters answer for everything, one user and one type; any other filter is counted. */
function totalIn(shard: Shard, filter: store.FeedbackFilter): Promise<number> {
  const set = Object.entries(filter).filter(([, value]) => value !== undefined)
  const [only] = set
  if (!only) return store.countOf(shard, 'all', '')
  if (set.length === 1 && filter.user_id !== undefined) return store.countOf(shard, 'user', filter.user_id)
  if (set.length === 1 && filter.type !== undefined) return store.countOf(shard, 'type', filter.type)
  return store.countMatching(shard, filter)
}

async function rowsOf(keys: readonly { readonly shard: Shard; readonly id: string }[]) {
  const byShard = Map.groupBy(keys, ({ shard }) => shard)
  const fetched = await Promise.all(
    [...byShard].map(([shard, wanted]) =>
      store.byIds(
        shard,
        wanted.map(({ id }) => id),
      ),
    ),
  )
  const rowOf = new Map(fetched.flat().map((row) => [row.id, row]))
  return keys.flatMap(({ id }) => rowOf.get(id) ?? [])
}
