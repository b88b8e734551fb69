import { shownShards } from '../../../config/listing.ts'
import type { ShardState } from '../../../database/schema/shards.ts'
import { type Meta, type Shard, StoreUnavailable } from '../../../database/store.ts'
import { missingShard } from '../../../database/stores.ts'
import type { Platform } from '../../../platform/platform.ts'
import { type Page, pageOf } from '../../../rules/paging.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import { type Doer, decide } from '../../ground/acts/acts.ts'
import { roomOf } from './room.ts'
import { type ActiveShard, listedShards, shardIdOf, usersByShard } from './statements.ts'
import * as store from './store.ts'

const REGION_OF_CONTINENT: ReadonlyMap<string, string> = new Map([
  ['AS', 'apac'],
  ['EU', 'weur'],
  ['OC', 'oc'],
])

/**
 * The active shard with the fewest users in the continent's region, else in any region. Fails if this process has no
 * active shard. `users` are counted before the decision, which must not wait for that.
 */
export function chooseShard(
  { shards }: Platform,
  active: readonly ActiveShard[],
  users: Map<string, number>,
  continent: string | undefined,
): string {
  const region = REGION_OF_CONTINENT.get(continent ?? '') ?? 'apac'
  const known = active.filter(({ id }) => shards.has(id))
  const near = known.filter((shard) => shard.region === region)
  const [chosen] = (near.length > 0 ? near : known).sort((a, b) => (users.get(a.id) ?? 0) - (users.get(b.id) ?? 0))
  if (!chosen) throw new StoreUnavailable('shard')
  users.set(chosen.id, (users.get(chosen.id) ?? 0) + 1)
  return chosen.id
}

/**
 * Counted at most once a minute, since counting reads every assignment; in between, new users are added. A sign-up does
 * not wait for the count, which can be behind an administrator's search.
 */
export function recentUsers({ versioned, meta, now }: Platform): Promise<Map<string, number>> {
  const minute = Math.floor(now() / MINUTE_MILLISECONDS)
  return versioned.latest<Map<string, number>>(
    'users by shard',
    minute,
    () => usersByShard(meta),
    () => new Map(),
  )
}

/** Each with its room and the users on their way, and what the configuration has beside those in use. */
export async function listShards(platform: Platform, page: Page) {
  const { meta, config } = platform
  const [rows, users, moves] = await Promise.all([listedShards(meta), usersByShard(meta), store.movesByEnds(meta)])
  const moving = (end: 'from_shard' | 'to_shard', id: string) =>
    moves.filter((move) => move[end] === id).reduce((sum, move) => sum + move.users, 0)
  const shards = await Promise.all(
    rows.map(async (row) => ({
      ...row,
      users: users.get(row.id) ?? 0,
      ...(await roomOf(platform.shards.get(row.id))),
      leaving: moving('from_shard', row.id),
      arriving: moving('to_shard', row.id),
    })),
  )
  const known = new Set(rows.map(({ id }) => id))
  return {
    ...pageOf(shards, page),
    unused: config.shards.flatMap(({ id }) => (known.has(id) ? [] : id)),
    configured: shownShards(config),
  }
}

/** Takes effect at the next sign-up: a draining shard takes no new users, but still serves those it has. */
export async function setShardState(doer: Doer, id: string, state: ShardState) {
  const { platform } = doer
  const { meta } = platform
  const row = await decide(doer, [store.lockAll(meta)], async (act, known) => {
    const shard = known.find((one) => one.id === id)
    if (!shard) throw new Refusal('NOT_FOUND', 'This shard does not exist.')
    const others = known.filter((one) => one !== shard && one.state === 'active' && platform.shards.has(one.id))
    if (state === 'draining' && shard.state === 'active' && others.length === 0) throw lastActive(id)
    act.write(store.setState(meta, id, state))
    act.record('shard.update', { subject: { type: 'shard', id }, details: { state } })
    return { ...shard, state }
  })
  const users = await usersByShard(meta)
  return { ...row, users: users.get(id) ?? 0 }
}

function lastActive(id: string): Refusal {
  return new Refusal(
    'LAST_ACTIVE_SHARD',
    `${id} is the last shard that takes new users; without it nobody could sign up. Let another one take them first.`,
  )
}

/**
 * Every shard that can have rows, active or draining. An unreachable one causes an error. Only the operator leaves one
 * out, by SHARDS_WITHOUT, or if nobody lives there.
 */
export async function readableShards(platform: Platform): Promise<readonly Shard[]> {
  const rows = await listedShards(platform.meta)
  const missing = rows.filter(({ id }) => !platform.shards.has(id) && !isLeftOut(platform, id))
  if (missing.length > 0) {
    const inhabited = await store.allWithAUser(platform.meta)
    const lost = missing.find(({ id }) => inhabited.some((row) => row.id === id && row.user_id !== null))
    if (lost) throw new StoreUnavailable(lost.id)
  }
  return rows.flatMap(({ id }) => platform.shards.get(id) ?? [])
}

function isLeftOut({ config }: Platform, id: string): boolean {
  return config.shardsWithout.includes(id)
}

export async function findShardOf(platform: Platform, userId: string): Promise<Shard | undefined> {
  const id = await shardIdOf(platform.meta, userId)
  return id === undefined ? undefined : getShard(platform, id)
}

export async function shardStateOf(meta: Meta, id: string): Promise<ShardState | undefined> {
  const shards = await listedShards(meta)
  return shards.find((shard) => shard.id === id)?.state
}

/** The shards that take users and are in this process's configuration. */
export async function activeShards(platform: Platform) {
  const active = await store.active(platform.meta)
  return active.filter(({ id }) => platform.shards.has(id))
}

export function getShard({ config, shards }: Platform, id: string): Shard {
  const shard = shards.get(id)
  if (!shard) throw missingShard(config, id)
  return shard
}

/**
 * The first preparation activates every shard. The operator activates later ones once every process has them in its
 * configuration: a process without them could neither serve nor list their users.
 */
export async function registerFirstShards({
  config,
  meta,
  now,
}: Pick<Platform, 'config' | 'meta' | 'now'>): Promise<void> {
  await store.insertFirstShards(
    meta,
    config.shards.map(({ id, region }) => ({ id, region, created_at: now(), state: 'active' })),
  )
}

/** Activates a configured shard. False if it is already in use. */
export async function addShard(platform: Platform, id: string): Promise<boolean> {
  const address = platform.config.shards.find((shard) => shard.id === id)
  if (!address) throw new Refusal('NOT_FOUND', `${id} is not in SHARDS; add it there first.`)
  const { region } = address
  const row = { id, region, created_at: platform.now(), state: 'active' } as const
  const { meta } = platform
  return decide({ platform }, [store.insertIfNew(meta, row)], async (act, [added]) => {
    if (!added) return false
    act.record('shard.add', { subject: { type: 'shard', id } })
    return true
  })
}
