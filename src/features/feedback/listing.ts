import type { Shard } from '../../database/store.ts'
import type { Platform } from '../../platform/platform.ts'
import { sliceOf } from '../../rules/paging.ts'
import { type Copies, copiesUnderWay } from '../shards/copies.ts'
import { readableShards } from '../shards/shards.ts'
import * as countsStore from './counts-store.ts'
import type { ListFeedbacks } from './input.ts'
import { keysOfPage } from './merge.ts'
import * as store from './store.ts'

// A move is begun and switched; a reader whom both of one user disturb is right the third time.
const ATTEMPTS = 3

/**
 * Rule 2's answer, every matching row of every shard, at a cost that follows the page. Who is on the way
 * between shards is seen at home only.
 */
export async function listFeedbacks(platform: Platform, input: ListFeedbacks) {
  let copies = await copiesUnderWay(platform.meta)
  for (let attempt = 1; ; attempt++) {
    const list = await listBeside(copies, platform, input)
    if (attempt === ATTEMPTS) return list
    const meanwhile = await copiesUnderWay(platform.meta)
    if (meanwhile.moment === copies.moment) return list
    copies = meanwhile
  }
}

async function listBeside(copies: Copies, platform: Platform, { page, page_size, ...filter }: ListFeedbacks) {
  const shards = await readableShards(platform)
  const views = shards.map((shard) => ({ shard, hidden: copies.in(shard.name) }))
  const slice = sliceOf({ page, page_size })
  const totals = await Promise.all(views.map((view) => totalIn(view, filter)))
  const total = totals.reduce((sum, count) => sum + count, 0)
  if (slice.offset >= total) return { items: [], total }
  const sources = views.map((view) => ({
    shard: view.shard,
    keys: (after: store.Key | undefined, part: typeof slice) => store.keys(view, filter, after, part),
  }))
  return { items: await rowsOf(await keysOfPage(sources, slice)), total }
}

/** For what is read of a user together. */
export function feedbackCountOf(shard: Shard, userId: string) {
  return countsStore.counter(shard, 'user', userId)
}

/** Counters answer for everything, one user and one type; any other filter is counted. */
function totalIn(view: store.View, filter: store.FeedbackFilter): Promise<number> {
  const set = Object.entries(filter).filter(([, value]) => value !== undefined)
  const [only] = set
  if (!only) return store.countSeen(view, 'all', '', filter)
  if (set.length === 1 && filter.user_id !== undefined)
    return store.countSeen(view, 'user', filter.user_id, filter)
  if (set.length === 1 && filter.type !== undefined) return store.countSeen(view, 'type', filter.type, filter)
  return store.countMatching(view, filter)
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
