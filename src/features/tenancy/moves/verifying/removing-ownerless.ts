import type { Shard } from '../../../../database/store.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { recordAct } from '../../../ground/acts/acts.ts'
import { decideAsEraser } from '../../shards/residents.ts'
import { eraseSome } from '../belongings-store.ts'
import * as store from './verify-store.ts'
import { disagreementsOn } from './verifying.ts'

/**
 * The users with rows in the shard who are unknown to the global store, because it was recovered to an earlier time.
 */
export async function* ownerlessIn(platform: Platform, shard: Shard): AsyncGenerator<string> {
  const seen = new Set<string>()
  for await (const { user_id } of disagreementsOn(platform, shard)) {
    if (user_id === null || seen.has(user_id)) continue
    seen.add(user_id)
    const { home, isOnTheWay } = await store.whereaboutsOf(platform.meta, user_id)
    if (home === null && !isOnTheWay) yield user_id
  }
}

/** Ids are never used again, so nobody signs up under one meanwhile. */
export async function eraseOwnerless(platform: Platform, shard: Shard, userId: string): Promise<void> {
  const subject = { type: 'user', id: userId } as const
  const details = { shard: shard.name, reason: 'unknown to the global store' }
  const eraser = { userId, attempt: 0 }
  // Until the log has the entry, a second run finds the user by the closed row.
  const erase = () => decideAsEraser(shard, eraser, 'held', (decision) => eraseSome(shard, userId, decision))
  while (await erase());
  await recordAct({ platform }, 'user.erased', { subject, details })
  await decideAsEraser(shard, eraser, 'gone', async () => undefined)
}
