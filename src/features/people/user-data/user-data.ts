import type { Config } from '../../../config/config.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import { StoreUnavailable } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { grantsOf } from '../../access/grants/statements.ts'
import { shownPicture } from '../../ground/provider-presets/presets.ts'
import { findBetaCodeOf } from '../../operations/beta-codes/statements.ts'
import { balanceOf } from '../../operations/credits/statements.ts'
import { feedbackCounter } from '../../operations/feedback/statements.ts'
import { readOf } from '../../tenancy/shards/reading.ts'
import { hasHomeIn, homesOf, livesIn, shardIdOf, signupRewardOf } from '../../tenancy/shards/statements.ts'
import { accountsOf } from '../account/statements.ts'
import { knownNetworksOf, sessionsOf } from '../sessions/statements.ts'
import type { ListUsers } from '../users/input.ts'
import { getUser, listUsers } from '../users/users.ts'

export async function listUsersWithShards({ meta, config }: Platform, { shard_id, ...filter }: ListUsers) {
  const inShard = filter.search ? hasHomeIn(meta, shard_id) : livesIn(meta, shard_id)
  const { items, ...list } = await listUsers(meta, filter, inShard)
  const homes = await homesOf(
    meta,
    items.map(({ id }) => id),
  )
  return { items: items.map((row) => userItem(config, row, homes.get(row.id))), ...list }
}

/** One user's page: from the global store, and from the user's shard. */
export async function getUserFacts(platform: Platform, id: string) {
  const [identity, shardFacts] = await Promise.all([getIdentity(platform, id), getShardFacts(platform, id)])
  return { ...identity, ...shardFacts }
}

/** If the shard is down, the administrator still sees who the user is and can suspend them. */
async function getShardFacts(platform: Platform, id: string) {
  try {
    const found = await readOf(platform, id, (shard) => [balanceOf(shard, id), feedbackCounter(shard, 'user', id)])
    if (!found) return { balance: 0, feedbacks: 0 }
    const [[credits], [counted]] = found.rows
    return {
      shard_id: found.shard.name,
      // It is created, with the signup reward, when the user first reads it.
      balance: credits?.balance ?? (await signupRewardOf(platform.meta, id)),
      feedbacks: Number(counted?.feedbacks ?? 0),
    }
  } catch (error) {
    if (error instanceof StoreUnavailable) return { balance: null, feedbacks: null }
    throw error
  }
}

/** A user's rows in the global store, without secrets. */
export async function getIdentity({ config, meta, now }: Platform, id: string) {
  const user = await getUser(meta, id)
  const [shardId, accounts, [sessions, networks], grants, betaCode] = await Promise.all([
    shardIdOf(meta, id),
    accountsOf(meta, id),
    meta.snapshot([sessionsOf(meta, id, now()), knownNetworksOf(meta, id)]),
    grantsOf(meta, id),
    findBetaCodeOf(meta, id),
  ])
  return {
    ...userItem(config, user, shardId),
    accounts,
    sessions: [...sessions],
    known_networks: [...networks],
    grants: grants.map((grant) => ({ ...grant, scopes: grant.scopes.split(' ') })),
    beta_code: betaCode ?? null,
  }
}

function userItem(config: Config, row: UserTable, shardId: string | undefined) {
  const { email_verified, email_proven_at: _, folded_name: __, last_sign_in_at, ...user } = row
  return {
    ...user,
    image: shownPicture(config, row.image),
    email_verified: email_verified === 1,
    shard_id: shardId ?? null,
    last_sign_in_at: last_sign_in_at || null,
  }
}
