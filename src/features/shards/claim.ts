import { findKept, keepFirst } from '../../database/instance.ts'
import type { Meta, Shard } from '../../database/store.ts'
import * as store from './store.ts'

/** A line for the operator, not a bug. */
class OneStoreTwice extends Error {
  override readonly name = 'OneStoreTwice'

  constructor(id: string, other: string) {
    super(`SHARDS gives ${id} the store of ${other}; give each a database, a schema or a file of its own`)
  }
}

const SHARD_ID = 'shard_id'

/**
 * Two addresses can lead to one store, and its rows would belong to users of two shards. A shard in use comes first, so
 * that no new one takes its store because of a wrong address.
 */
export async function claimShards(meta: Meta, shards: readonly Shard[]): Promise<void> {
  const inUse = new Set((await store.all(meta)).map(({ id }) => id))
  await Promise.all(shards.filter(({ name }) => inUse.has(name)).map(claimShard))
  await Promise.all(shards.filter(({ name }) => !inUse.has(name)).map(claimShard))
}

async function claimShard(shard: Shard): Promise<void> {
  const id = (await findKept(shard.primary, SHARD_ID)) ?? (await keepFirst(shard, SHARD_ID, shard.name))
  if (id !== shard.name) throw new OneStoreTwice(shard.name, id)
}

/** Changes nothing. */
export async function refuseShardOfAnother(shard: Shard): Promise<void> {
  const id = await findKept(shard.primary, SHARD_ID)
  if (id !== undefined && id !== shard.name) throw new OneStoreTwice(shard.name, id)
}
