import type { Config } from '../../../src/config/config.ts'
import { isPostgres } from '../../../src/config/shards.ts'
import { PostgresEngine } from '../../../src/database/postgres/engine.ts'
import type { MetaTables, ShardTables } from '../../../src/database/schema/tables.ts'
import { SqliteEngine } from '../../../src/database/sqlite/engine.ts'
import { type Engine, Store } from '../../../src/database/store.ts'
import { openShard, type Stores } from '../../../src/database/stores.ts'

type Wrap = (engine: Engine) => Engine

/** The stores of a service, with a wrapper around the engine of the global store. */
export async function openWrapped(config: Config, wrap: Wrap): Promise<Stores> {
  const opened = config.shards.map(async (shard) => [shard.id, await openShard(shard)] as const)
  return { meta: wrappedMeta(config, wrap), shards: new Map(await Promise.all(opened)) }
}

/** The same around the engines of the shards too. */
export async function openAllWrapped(config: Config, wrap: Wrap): Promise<Stores> {
  const shards = config.shards.map(({ id, url }) => [id, new Store<ShardTables>(wrap(engineOf(id, url)))] as const)
  return { meta: wrappedMeta(config, wrap), shards: new Map(shards) }
}

function wrappedMeta({ databaseUrl = ':memory:' }: Config, wrap: Wrap) {
  return new Store<MetaTables>(wrap(engineOf('meta', databaseUrl)))
}

function engineOf(name: string, url: string): Engine {
  return isPostgres(url) ? new PostgresEngine(name, { url }) : new SqliteEngine(name, url)
}
