import { v7 as newId } from 'uuid'
import type { Shard } from '../../database/store.ts'
import type { Platform } from '../../platform/platform.ts'
import { type Page, sliceOf } from '../../rules/paging.ts'
import type { Settings } from '../settings/model.ts'
import { writeAs } from '../shards/residents.ts'
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
  else await writeAs(shard, userId, [store.insertBalance(shard, userId)])
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
  const entry = {
    id: newId(),
    user_id: userId,
    amount,
    source_type: source.type,
    source_id: source.id,
    created_at: now,
  }
  await writeAs(shard, userId, store.insertEntry(shard, entry))
}

/** A balance that a stop at the creation has left out is made up for here. */
export async function getBalance(
  platform: Platform,
  settings: Settings,
  shard: Shard,
  userId: string,
): Promise<number> {
  const balance = await store.findBalance(shard, userId)
  if (balance !== undefined) return balance
  await openCredits(platform, settings, userId, shard.name)
  return (await store.findBalance(shard, userId)) ?? 0
}

export async function listCreditEntries(shard: Shard, userId: string, page: Page) {
  const [total, items] = await Promise.all([
    store.countEntries(shard, userId),
    store.entriesPage(shard, userId, sliceOf(page)),
  ])
  return { items, total }
}

/** What an export of the user's data holds. */
export async function creditsOf(shard: Shard, userId: string) {
  const [balance, entries] = await Promise.all([
    store.findBalance(shard, userId),
    store.allEntries(shard, userId),
  ])
  return { balance: balance ?? 0, entries: [...entries] }
}

/** For a batch that erases a user; answers which entries went. */
export function eraseCredits(shard: Shard, userId: string, atMost: number) {
  return store.eraseSome(shard, userId, atMost)
}
