import type { Config } from '../../../src/config/config.ts'
import { isPostgres } from '../../../src/config/shards.ts'
import { PostgresEngine } from '../../../src/database/postgres/engine.ts'
import type { MetaTables } from '../../../src/database/schema/tables.ts'
import { SqliteEngine } from '../../../src/database/sqlite/engine.ts'
import { type Engine, Store } from '../../../src/database/store.ts'
import { openShard, type Stores } from '../../../src/database/stores.ts'

/** The stores of a service, with a wrapper around the engine of the global store. */
export async function openWrapped(
  { databaseUrl: url = ':memory:', shards }: Config,
  wrap: (engine: Engine) => Engine,
): Promise<Stores> {
  const opened = shards.map(async (shard) => [shard.id, await openShard(shard)] as const)
  const engine = isPostgres(url) ? new PostgresEngine('meta', { url }) : new SqliteEngine('meta', url)
  return { meta: new Store<MetaTables>(wrap(engine)), shards: new Map(await Promise.all(opened)) }
}
