import { v7 as newId } from 'uuid'
import type { Shard } from '../../database/store.ts'
import type { Platform } from '../../platform/platform.ts'
import { type Page, sliceOf } from '../../rules/paging.ts'
import { eventRow, insertIntoOutboxIf, outboxRow } from '../events/statements.ts'
import type { Settings } from '../settings/model.ts'
import { readAs } from '../shards/reading.ts'
import { writeAs } from '../shards/residents.ts'
import { getShard } from '../shards/shards.ts'
import { signupRewardOf } from '../shards/statements.ts'
import * as store from './store.ts'

/** What a user who is made now gets to begin with. */
export function signupRewardIn({ credits }: Settings): number {
  return credits.signup_reward_enabled ? credits.signup_reward_amount : 0
}

/** Balance and signup reward, once per user however often it is called. */
export async function openCredits(
  platform: Platform,
  reward: number,
  userId: string,
  shardId: string,
): Promise<void> {
  const shard = getShard(platform, shardId)
  if (reward > 0) await grantCredits(shard, userId, reward, { type: 'signup', id: userId }, platform.now())
  else await writeAs(shard, userId, [store.insertBalance(shard, userId)])
}

interface CreditSource {
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
  const data = { id: entry.id, amount, source_type: source.type, source_id: source.id }
  const granted = outboxRow(eventRow({ type: 'credit.granted', user_id: userId, data }, now))
  await writeAs(shard, userId, [
    ...store.insertEntry(shard, entry),
    insertIntoOutboxIf(shard, granted, store.entry(shard, entry.id)),
  ])
}

/** A balance that was not opened at the creation is made up for here. */
export async function getBalance(platform: Platform, shard: Shard, userId: string): Promise<number> {
  const balanceOnly = (at: Shard) => [store.balanceOf(at, userId)] as const
  const found = await readAs(platform, shard, userId, balanceOnly)
  const [[known]] = found.rows
  if (known) return known.balance
  await openCredits(platform, await signupRewardOf(platform.meta, userId), userId, found.shard.name)
  const [[made]] = (await readAs(platform, found.shard, userId, balanceOnly)).rows
  return made?.balance ?? 0
}

export async function listCreditEntries(platform: Platform, shard: Shard, userId: string, page: Page) {
  const list = async (shard: Shard) => {
    const { rows } = await readAs(platform, shard, userId, (at) => [
      store.countEntries(at, userId),
      store.entriesPage(at, userId, sliceOf(page)),
    ])
    const [[counted], items] = rows
    return { items: [...items], total: counted?.total ?? 0 }
  }
  const known = await list(shard)
  if (known.total > 0) return known
  await getBalance(platform, shard, userId)
  return list(shard)
}

/** For what is read of a user together: the balance, and what made it. */
export function creditsOf(shard: Shard, userId: string) {
  return [store.balanceOf(shard, userId), store.allEntries(shard, userId)] as const
}

export function balanceOf(shard: Shard, userId: string) {
  return store.balanceOf(shard, userId)
}

/** For a batch that erases a user; returns which entries went. */
export function eraseCredits(shard: Shard, userId: string, atMost: number) {
  return store.eraseSome(shard, userId, atMost)
}
