import type { Platform } from '../../platform/platform.ts'
import { type Shard, StoreUnavailable } from '../../platform/store.ts'
import * as store from './store.ts'

const REGION_OF_CONTINENT: ReadonlyMap<string, string> = new Map([
  ['AS', 'apac'],
  ['EU', 'weur'],
  ['OC', 'oc'],
])

/** The least filled active shard of the continent's region, else any active one; none: no user is made. */
export async function chooseShard(platform: Platform, continent: string | undefined): Promise<string> {
  const region = REGION_OF_CONTINENT.get(continent ?? '') ?? 'apac'
  const active = await store.activeByFill(platform.meta)
  const known = active.filter(({ id }) => platform.shards.has(id))
  const chosen = known.find((shard) => shard.region === region) ?? known[0]
  if (!chosen) throw new StoreUnavailable('shard')
  return chosen.id
}

/** Every shard that may hold rows: active and draining. One that cannot be reached is named, never left out. */
export async function readableShards(platform: Platform): Promise<readonly Shard[]> {
  const ids = await store.allIds(platform.meta)
  return ids.map((id) => getShard(platform, id))
}

export async function findShardOf(platform: Platform, userId: string): Promise<Shard | undefined> {
  const id = await store.shardIdOf(platform.meta, userId)
  return id === undefined ? undefined : getShard(platform, id)
}

export function getShard({ shards }: Platform, id: string): Shard {
  const shard = shards.get(id)
  if (!shard) throw new StoreUnavailable(id)
  return shard
}

/** Registers what the deployment names; what is registered keeps its state. */
export async function registerShards({
  config,
  meta,
  now,
}: Pick<Platform, 'config' | 'meta' | 'now'>): Promise<void> {
  for (const { id, region } of config.shards) await store.insertShard(meta, { id, region, created_at: now() })
}
