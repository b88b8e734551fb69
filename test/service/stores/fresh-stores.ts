import type { Config } from '../../../src/config/config.ts'
import { freshDatabase, schemaUrl } from '../../postgres/databases.ts'
import { migratedTemplate } from '../../postgres/template.ts'

export interface FreshStores {
  readonly config: Config
  drop(): Promise<void>
}

/** In memory, unless the run names a PostgreSQL server: then a new database of it, with a schema for each shard. */
export async function freshStores(config: Config, server = process.env.TEST_DATABASE_URL): Promise<FreshStores> {
  return server === undefined ? inMemory(config) : onServer(server, config)
}

function inMemory(config: Config): FreshStores {
  const shards = config.shards.map((shard) => ({ ...shard, url: ':memory:' }))
  return { config: { ...config, databaseUrl: ':memory:', shards }, drop: async () => undefined }
}

async function onServer(server: string, config: Config): Promise<FreshStores> {
  const template = await migratedTemplate(
    server,
    config.shards.map(({ id }) => id),
  )
  const database = await freshDatabase(server, template)
  const shards = config.shards.map((shard) => ({ ...shard, url: schemaUrl(database.url, shard.id) }))
  return { config: { ...config, databaseUrl: database.url, shards }, drop: () => database.drop() }
}
