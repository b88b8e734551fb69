import type { Shard } from '../../database/store.ts'
import { StoreUnavailable } from '../../database/store.ts'
import { within } from '../../database/within.ts'
import type { Platform } from '../../platform/platform.ts'
import { rowOfOutbox } from './outbox-statements.ts'
import type { NewRow } from './statements.ts'
import * as store from './store.ts'

/** What happens in the other stores does not wait longer than this for a shard. */
const PATIENCE_MILLISECONDS = 250

type Rows = readonly NewRow[]

/** What a shard has not responded to in time. The shard is not asked again before, and the next turn gets the rows. */
const late = new WeakMap<Shard, Promise<Rows>>()

export function isLate(shard: Shard): boolean {
  return late.has(shard)
}

/** The events of an unavailable shard stay there; the other shards' events do not wait for them. */
export async function readOutbox({ log }: Platform, shard: Shard, limit: number): Promise<Rows> {
  try {
    return await inTime(shard, late.get(shard) ?? rowsOf(shard, limit))
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    log.warn({ error, shard: shard.name }, 'the events of a shard are delayed')
    return []
  }
}

export async function clearOutbox(shard: Shard, ids: readonly string[]): Promise<void> {
  await inTime(
    shard,
    store.clearOutbox(shard, ids).then(() => []),
  )
}

async function rowsOf(shard: Shard, limit: number): Promise<Rows> {
  return (await store.outbox(shard, limit)).map(rowOfOutbox)
}

async function inTime(shard: Shard, work: Promise<Rows>): Promise<Rows> {
  late.delete(shard)
  const rows = await within(PATIENCE_MILLISECONDS, work)
  if (!rows) late.set(shard, work)
  return rows ?? []
}
