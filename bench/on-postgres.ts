import { join } from 'node:path'
import { startCluster } from '../test/postgres/cluster.ts'
import { command, freshDatabase, schemaUrl } from '../test/postgres/databases.ts'
import { environmentOf } from '../test/processes/new-stores.ts'
import { preparedFolder, startOurs } from './ours.ts'
import { SHARDS } from './rows/many-people.ts'
import { processorTimeOfAll } from './server.ts'

const SECRETS = { AUTH_SECRET: 'b'.repeat(43), CONFIG_ENCRYPTION_KEY: 'ab'.repeat(32) }

/** PostgreSQL with a global store and three shards, each shard a schema of the one database, as yet without tables. */
export async function emptyStores() {
  const cluster = await startCluster({ replicas: 0 })
  const { url } = await freshDatabase(cluster.primary.url())
  await command(url, SHARDS.map((id) => `create schema "${id}";`).join(''))
  const urlOf = (store: string) => (store === 'meta' ? url : schemaUrl(url, store))
  const store = { cpuMilliseconds: () => processorTimeOfAll(cluster.primary.pids() ?? []) }
  const env = { ...environmentOf(SHARDS, urlOf, url), ...SECRETS }
  return { cluster, url, urlOf, store, env, [Symbol.asyncDispose]: cluster.stop }
}

/** The same as the first start leaves it. Each process that it starts has a data folder of its own. */
export async function installationOnPostgres() {
  const stores = await emptyStores()
  const folder = await preparedFolder(stores.env)
  return {
    ...stores,
    start: (name: string) => startOurs({ path: join(folder.path, name) }, stores.env),
    async [Symbol.asyncDispose]() {
      await stores[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}
