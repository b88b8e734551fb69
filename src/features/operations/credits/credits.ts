import type { Shard } from '../../../database/store.ts'
import type { ProtectedCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { KeyedRequest } from '../../../rules/idempotency.ts'
import { newId } from '../../../rules/ids.ts'
import { type Page, sliceOf } from '../../../rules/paging.ts'
import { writeOnce } from '../../ground/idempotency/idempotency.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { refuseForColleague, unknownUser } from '../../people/users/users.ts'
import { readAs, readOf } from '../../tenancy/shards/reading.ts'
import { decideAs } from '../../tenancy/shards/residents.ts'
import { findShardOf, getShard } from '../../tenancy/shards/shards.ts'
import { signupRewardOf } from '../../tenancy/shards/statements.ts'
import type { GiveCredits, ListUserCredits } from './input.ts'
import { balanceOf } from './statements.ts'
import * as store from './store.ts'

/** The initial balance of a user who is created now. */
export function signupRewardIn({ credits }: Settings): number {
  return credits.signup_reward_enabled ? credits.signup_reward_amount : 0
}

/** Creates the balance with the signup reward, once per user however often it is called. */
export async function createCredits(
  platform: Platform,
  reward: number,
  userId: string,
  shardId: string,
): Promise<void> {
  const shard = getShard(platform, shardId)
  if (reward > 0) return grantCredits(platform, shard, userId, reward, { type: 'signup', id: userId })
  await decideAs({ platform }, shard, userId, [], async (act) => act.write(store.insertBalance(shard, userId)))
}

interface CreditSource {
  readonly type: string
  readonly id: string
}

/** Each source counts once: a second entry fails its whole decision. */
export async function grantCredits(
  platform: Pick<Platform, 'now'>,
  shard: Shard,
  userId: string,
  amount: number,
  source: CreditSource,
): Promise<void> {
  const entry = entryOf(userId, amount, source, platform.now())
  try {
    await decideAs({ platform }, shard, userId, [], async (act) => {
      act.write(...store.addEntry(shard, entry))
      act.record('credit.granted', granted(entry))
    })
  } catch (error) {
    if (!store.hasCounted(error)) throw error
  }
}

type NewEntry = Parameters<typeof store.addEntry>[1]

function entryOf(user_id: string, amount: number, { type, id }: CreditSource, created_at: number): NewEntry {
  return { id: newId(), user_id, amount, source_type: type, source_id: id, created_at }
}

/** The data of the event. */
function granted({ user_id: id, created_at: _, ...data }: NewEntry) {
  return { user: { id }, data }
}

/**
 * Writes ledger and audit log in one commit, once for each `Idempotency-Key`. Returns the balance after this gift,
 * whatever was given since.
 */
export async function giveCredits(
  call: ProtectedCall,
  { id: userId, amount, note }: GiveCredits,
  keyed?: KeyedRequest,
): Promise<{ readonly balance: number }> {
  const { platform } = call
  await refuseForColleague(call, userId)
  const now = platform.now()
  const shard = await findShardOf(platform, userId)
  if (!shard) throw unknownUser()
  await getBalance(platform, shard, userId)
  const entry = entryOf(userId, amount, { type: 'administrator', id: newId() }, now)
  const subject = { type: 'user', id: userId } as const
  const details = { amount, ...(note !== undefined && { note }) }
  const entryId = await writeOnce<string>(shard, userId, keyed, now, (record) =>
    decideAs(call, shard, userId, [], async (act) => {
      act.write(...store.addEntry(shard, entry), record(entry.id))
      act.record('credit.give', { ...granted(entry), subject, details })
      return entry.id
    }),
  )
  const found = await readOf(platform, userId, (at) => [store.balanceAfter(at, entryId)])
  const made = found?.rows[0][0]
  if (!made) throw unknownUser()
  return made
}

/** Lists any user's entries, for the administrator. */
export async function listCreditsOf(platform: Platform, { id, ...page }: ListUserCredits) {
  const found = await readOf(platform, id, (at) => [
    store.countEntries(at, id),
    store.entriesPage(at, id, sliceOf(page)),
  ])
  if (!found) throw unknownUser()
  const [[counted], items] = found.rows
  return { items: [...items], total: counted?.total ?? 0 }
}

/** If the balance was not created with the user, it is created here. */
export async function getBalance(platform: Platform, shard: Shard, userId: string): Promise<number> {
  const balanceOnly = (at: Shard) => [balanceOf(at, userId)] as const
  const found = await readAs(platform, shard, userId, balanceOnly)
  const [[known]] = found.rows
  if (known) return known.balance
  await createCredits(platform, await signupRewardOf(platform.meta, userId), userId, found.shard.name)
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
