import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config/config.ts'
import { isPostgres, type ShardAddress } from '../config/shards.ts'
import type { MetaTables, ShardTables } from './schema/tables.ts'
import { SqliteEngine } from './sqlite/engine.ts'
import { type Engine, type Meta, type Shard, Store, StoreLeftOut, StoreUnavailable } from './store.ts'

export interface Stores {
  readonly meta: Meta
  readonly shards: ReadonlyMap<string, Shard>
}

/** Opens each store at its configured address: `postgres://…`, else a file. */
export async function openStores(config: Config): Promise<Stores> {
  const opening = config.shards.map(async (shard) => [shard.id, await openShard(shard)] as const)
  const [meta, ...shards] = await Promise.all([openMeta(config), ...opening])
  return { meta, shards: new Map(shards) }
}

export async function openMeta(config: Config): Promise<Meta> {
  return new Store<MetaTables>(await openEngine('meta', metaUrlOf(config), config.databaseReplicaUrls))
}

export async function openShard({ id, url, replicaUrls }: ShardAddress): Promise<Shard> {
  return new Store<ShardTables>(await openEngine(id, url, replicaUrls))
}

/** Thrown for a shard that this process does not have. */
export function missingShard({ shardsWithout }: Pick<Config, 'shardsWithout'>, id: string): StoreUnavailable {
  return shardsWithout.includes(id) ? new StoreLeftOut(id) : new StoreUnavailable(id)
}

/** A `postgres://` address or a file. */
export function metaUrlOf(config: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  return config.databaseUrl ?? join(config.dataDir, 'meta.sqlite')
}

/** The global store first, then the shards in the order of the configuration. */
export function placesOf(config: Config): readonly { readonly name: string; readonly url: string }[] {
  return [{ name: 'meta', url: metaUrlOf(config) }, ...config.shards.map(({ id, url }) => ({ name: id, url }))]
}

export async function closeStores({ meta, shards }: Stores): Promise<void> {
  await Promise.all([meta, ...shards.values()].map((store) => store.close()))
}

/** The server's driver is loaded only if a store needs it. */
async function openEngine(name: string, url: string, replicaUrls: readonly string[]): Promise<Engine> {
  if (isPostgres(url)) {
    const { PostgresEngine } = await import('./postgres/engine.ts')
    return new PostgresEngine(name, { url, replicaUrls })
  }
  if (url !== ':memory:') mkdirSync(dirname(url), { recursive: true, mode: 0o700 })
  return new SqliteEngine(name, url)
}
