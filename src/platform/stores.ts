import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isPostgres } from '../config/shards.ts'
import type { Config, ShardAddress } from '../config.ts'
import type { MetaTables, ShardTables } from '../store/schema.ts'
import { PostgresEngine } from './postgres.ts'
import { SqliteEngine } from './sqlite.ts'
import { type Engine, type Meta, type Shard, Store } from './store.ts'

export interface Stores {
  readonly meta: Meta
  readonly shards: ReadonlyMap<string, Shard>
}

/** Each named by what the deployment says of it: a `postgres://` address, else a file. */
export function openStores(config: Config): Stores {
  const shards = config.shards.map((shard) => [shard.id, openShard(shard)] as const)
  return { meta: openMeta(config), shards: new Map(shards) }
}

export function openMeta(config: Config): Meta {
  return new Store<MetaTables>(openEngine('meta', metaUrlOf(config), config.databaseReplicaUrls))
}

export function openShard({ id, url, replicaUrls }: ShardAddress): Shard {
  return new Store<ShardTables>(openEngine(id, url, replicaUrls))
}

/** A `postgres://` address or a file. */
export function metaUrlOf(config: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  return config.databaseUrl ?? join(config.dataDir, 'meta.sqlite')
}

export async function closeStores({ meta, shards }: Stores): Promise<void> {
  await Promise.all([meta, ...shards.values()].map((store) => store.close()))
}

function openEngine(name: string, url: string, replicaUrls: readonly string[]): Engine {
  if (isPostgres(url)) return new PostgresEngine(name, { url, replicaUrls })
  if (url !== ':memory:') mkdirSync(dirname(url), { recursive: true, mode: 0o700 })
  return new SqliteEngine(name, url)
}
