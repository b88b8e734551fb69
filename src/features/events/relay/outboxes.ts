import { type Shard, StoreUnavailable } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { within } from '../../../rules/time.ts'
import { rowOfOutbox } from '../outbox-statements.ts'
import type { NewRow } from '../statements.ts'
import * as store from '../store.ts'

/** What happens in the other stores does not wait longer than this for a shard. */
const PATIENCE_MILLISECONDS = 250

type Rows = readonly NewRow[]

/** What a shard has not responded to in time. The shard is not asked again before, and the next turn gets the rows. */
const late = new WeakMap<Shard, Promise<Rows>>()
/** What a shard could not delete. It is not read again before, if it would only return the same rows. */
const kept = new WeakMap<Shard, readonly string[]>()

export function isLate(shard: Shard): boolean {
  return late.has(shard)
}

/** The events of a shard that cannot be read stay there; the other shards' events do not wait for them. */
export async function readOutbox(platform: Platform, shard: Shard, atMost: number): Promise<Rows> {
  try {
    return await inTime(shard, late.get(shard) ?? rowsOf(shard, atMost))
  } catch (error) {
    logDelay(platform, shard, error)
    return []
  }
}

/** False if they are still there, and will be read again. */
export async function emptyOutbox(
  platform: Platform,
  shard: Shard,
  ids: readonly string[],
  isWholePage: boolean,
): Promise<boolean> {
  if (ids.length === 0) return true
  try {
    const clearing = store.clearOutbox(shard, ids).then(() => [])
    await inTime(shard, clearing)
    return !isLate(shard)
  } catch (error) {
    if (isWholePage) kept.set(shard, ids)
    logDelay(platform, shard, error)
    return false
  }
}

async function rowsOf(shard: Shard, atMost: number): Promise<Rows> {
  const ids = kept.get(shard)
  if (ids) await store.clearOutbox(shard, ids)
  kept.delete(shard)
  return (await store.outbox(shard, atMost)).map(rowOfOutbox)
}

async function inTime(shard: Shard, work: Promise<Rows>): Promise<Rows> {
  late.delete(shard)
  const rows = await within(PATIENCE_MILLISECONDS, work)
  if (!rows) late.set(shard, work)
  return rows ?? []
}

function logDelay({ log }: Platform, { name: shard }: Shard, error: unknown): void {
  const level = error instanceof StoreUnavailable ? 'warn' : 'error'
  log[level]({ error, shard }, 'the events of a shard are delayed')
}
