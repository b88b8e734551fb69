import { v7 as newId } from 'uuid'
import type { Platform } from '../../platform/platform.ts'
import type { Shard } from '../../platform/store.ts'
import type { Settings } from '../settings/settings.ts'
import { getShard } from '../shards/shards.ts'
import * as store from './store.ts'

/** Balance and signup reward, once per user however often it is called. */
export async function openCredits(
  platform: Platform,
  { credits }: Settings,
  userId: string,
  shardId: string,
): Promise<void> {
  const shard = getShard(platform, shardId)
  const reward = credits.signup_reward_enabled ? credits.signup_reward_amount : 0
  if (reward > 0) await grantCredits(shard, userId, reward, { type: 'signup', id: userId }, platform.now())
  else await store.insertBalance(shard, userId)
}

export interface CreditSource {
  readonly type: string
  readonly id: string
}

/** Each source counts once; balance and ledger change in the same commit. */
export async function grantCredits(
  shard: Shard,
  userId: string,
  amount: number,
  source: CreditSource,
  now: number,
): Promise<void> {
  await store.insertEntry(shard, {
    id: newId(),
    user_id: userId,
    amount,
    source_type: source.type,
    source_id: source.id,
    created_at: now,
  })
}
