import { sql } from 'kysely'
import type { Config } from '../../../config/config.ts'
import type { Rows } from '../../../database/decision.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import { type Meta, StoreUnavailable } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { staffScopesOf } from '../../../rules/staff.ts'
import { grantsOf } from '../../access/grants/statements.ts'
import { shownPicture } from '../../ground/provider-presets/presets.ts'
import { codesOf } from '../../operations/beta-codes/statements.ts'
import { balanceOf } from '../../operations/credits/statements.ts'
import { feedbackCounter } from '../../operations/feedback/statements.ts'
import { readOf } from '../../tenancy/shards/reading.ts'
import { hasHomeIn, homeColumn, livesIn, signupRewardOf } from '../../tenancy/shards/statements.ts'
import { accountsOf } from '../account/statements.ts'
import { knownNetworksOf, sessionsOf } from '../sessions/statements.ts'
import type { ListUsers } from '../users/input.ts'
import { userById } from '../users/statements.ts'
import { listUsers, unknownUser } from '../users/users.ts'

export async function listUsersWithShards(
  { meta, config }: Pick<Platform, 'meta' | 'config'>,
  { shard_id, ...filter }: ListUsers,
) {
  const inShard = filter.search ? hasHomeIn(meta, shard_id) : livesIn(meta, shard_id)
  const { items, ...list } = await listUsers(meta, filter, (id) => homeColumn(meta, id), inShard)
  return { items: items.map((row) => userItem(config, row)), ...list }
}

/** The facts of one user's page, from the global store and the user's shard. */
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
      // The balance is created, with the signup reward, when the user first reads it.
      balance: credits?.balance ?? (await signupRewardOf(platform.meta, id)),
      feedbacks: Number(counted?.feedbacks ?? 0),
    }
  } catch (error) {
    if (error instanceof StoreUnavailable) return { balance: null, feedbacks: null }
    throw error
  }
}

/** A user's rows in the global store, without secrets. */
async function getIdentity(platform: Platform, id: string) {
  const { meta, now } = platform
  return identityOf(platform, await meta.snapshot(identityQueries(meta, id, now())))
}

export function identityQueries(meta: Meta, id: string, now: number) {
  return [
    userById(meta, id)
      .selectAll('user')
      .select(homeColumn(meta, sql.ref('user.id'))),
    accountsOf(meta, id),
    sessionsOf(meta, id, now),
    knownNetworksOf(meta, id),
    grantsOf(meta, id),
    codesOf(meta, id),
  ] as const
}

export function identityOf(
  { config }: Platform,
  [[user], accounts, sessions, networks, grants, codes]: Rows<ReturnType<typeof identityQueries>>,
) {
  if (!user) throw unknownUser()
  return {
    ...userItem(config, user),
    accounts: [...accounts],
    sessions: [...sessions],
    known_networks: [...networks],
    grants: grants.map((grant) => ({ ...grant, scopes: grant.scopes.split(' ') })),
    beta_code: codes[0] ?? null,
  }
}

function userItem(config: Config, row: UserTable & { readonly shard_id: string | null }) {
  const { email_verified, email_proven_at: _, folded_name: __, noted_use_at: ___, last_sign_in_at, ...shown } = row
  const { language: ____, staff_since: _____, ...user } = shown
  return {
    ...user,
    staff_scopes: [...staffScopesOf(row)],
    image: row.image === null ? null : shownPicture(config, row.image),
    email_verified: email_verified === 1,
    last_sign_in_at: last_sign_in_at || null,
  }
}
