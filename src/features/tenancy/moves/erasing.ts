import type { Shard } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import * as store from '../shards/move-statements.ts'
import { decideAsEraser, type Eraser } from '../shards/residents.ts'
import { getShard } from '../shards/shards.ts'
import { eraseSome } from './belongings-store.ts'
import { newestAttempt } from './lost-tails.ts'

/** Erases a deleted user's rows in one shard, or continues. False if this process stops before the end. */
export async function eraseRows(platform: Platform, shard: Shard, eraser: Eraser): Promise<boolean> {
  const { userId } = eraser
  const erase = () => decideAsEraser(shard, eraser, 'gone', (decision) => eraseSome(shard, userId, decision))
  while (await erase()) if (platform.ending.aborted) return false
  return true
}

/**
 * Ends the move of a user who was deleted in the meantime, if there is one: no earlier attempt writes to either shard any
 * more, and nothing is left there. No later attempt does either, since it finds the user gone. False if this process
 * stops before the end.
 */
export async function abandonMove(platform: Platform, userId: string): Promise<boolean> {
  const { meta, now } = platform
  const underWay = await store.findMove(meta, userId)
  if (!underWay) return true
  const from = getShard(platform, underWay.from_shard)
  const to = getShard(platform, underWay.to_shard)
  const after = await newestAttempt({ userId, from, to })
  const attempt = await store.claimMoveOfDeleted(meta, { userId, after, now: now() })
  if (attempt === undefined) return true
  for (const shard of [to, from]) if (!(await eraseRows(platform, shard, { userId, attempt }))) return false
  await store.endMoveOfDeleted(meta, userId)
  return true
}
