import type { Config } from '../src/config.ts'

export interface FreshStores {
  readonly config: Config
  drop(): Promise<void>
}

/** In memory, unless the run names a PostgreSQL server: then a new database of it. */
export async function freshStores(config: Config): Promise<FreshStores> {
  return {
    config: {
      ...config,
      databaseUrl: ':memory:',
      shards: config.shards.map((shard) => ({ ...shard, url: ':memory:' })),
    },
    drop: async () => undefined,
  }
}
