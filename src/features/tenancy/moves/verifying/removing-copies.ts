import type { ResidentsTable } from '../../../../database/schema/shards.ts'
import type { Shard } from '../../../../database/store.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { wasErased } from '../../../ground/audit/log.ts'
import { decideAsMover, findResident, MoveTakenOver } from '../../shards/holding.ts'
import { getShard } from '../../shards/shards.ts'
import { countKeys, eraseSome, pagesOf } from '../belongings-store.ts'
import * as store from './verify-store.ts'
import { disagreementsOn } from './verifying.ts'

/**
 * Removes rows of users who were moved away or erased from a shard that lost its last writes. Returns the number of
 * these users. Rows that exist nowhere else stay.
 */
export async function removeCopies(platform: Platform, shard: Shard, signal: AbortSignal): Promise<number> {
  const tried = new Set<string>()
  let removed = 0
  for await (const { user_id } of disagreementsOn(platform, shard)) {
    signal.throwIfAborted()
    if (user_id === null || tried.has(user_id)) continue
    tried.add(user_id)
    if (await removeCopy(platform, shard, user_id)) removed++
  }
  return removed
}

/** A move to this shard that begins meanwhile has a higher number, which ends the removal. */
async function removeCopy(platform: Platform, shard: Shard, userId: string): Promise<boolean> {
  const { home, isOnTheWay } = await store.whereaboutsOf(platform.meta, userId)
  const copy = await findResident(shard, userId)
  if (isOnTheWay || home === shard.name || !copy) return false
  const isNeedless =
    home === null ? await wasErased(platform.meta, userId) : await hasAllOf(getShard(platform, home), shard, copy)
  return isNeedless && eraseCopy(shard, userId, copy.attempt)
}

async function eraseCopy(shard: Shard, userId: string, attempt: number): Promise<boolean> {
  const erase = () =>
    decideAsMover(shard, { userId, attempt }, 'leave', (decision) => eraseSome(shard, userId, decision))
  try {
    while (await erase());
    return true
  } catch (error) {
    if (error instanceof MoveTakenOver) return false
    throw error
  }
}

/** A later move left the copy behind, and the user's home has each of its rows. */
async function hasAllOf(home: Shard, shard: Shard, copy: ResidentsTable): Promise<boolean> {
  const userId = copy.user_id
  const there = await findResident(home, userId)
  if (there?.state !== 'open') return false
  if (there.attempt < copy.attempt || (there.attempt === copy.attempt && copy.state === 'open')) return false
  for await (const { belonging, rows } of pagesOf(shard, userId)) {
    const keys = rows.map((row) => String(row[belonging.key]))
    // The keys of requests expire.
    const canBeMissing = belonging.table === 'idempotency_keys'
    if (!canBeMissing && (await countKeys(home, userId, belonging, keys)) < keys.length) return false
  }
  return true
}
