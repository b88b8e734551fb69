import { join } from 'node:path'
import { startCluster } from '../test/postgres/cluster.ts'
import { command, schemaUrl } from '../test/postgres/databases.ts'
import { processorTimeOfAll } from './load/processor-time.ts'
import { preparedFolder, startOurs } from './ours.ts'

const SHARDS = { 'apac-1': 'apac', 'weur-1': 'weur', 'oc-1': 'oc' }
const DATABASE = 'bench'
const SECRETS = { AUTH_SECRET: 'b'.repeat(43), CONFIG_ENCRYPTION_KEY: 'ab'.repeat(32) }

/** PostgreSQL with a global store and three shards, each shard a schema of the one database, as yet without tables. */
export async function emptyStores() {
  const cluster = await startCluster({ replicas: 0 })
  const { primary } = cluster
  const url = primary.url(DATABASE)
  await command(primary.url(), `create database ${DATABASE}`)
  const ids = Object.keys(SHARDS)
  await command(url, ids.map((id) => `create schema "${id}";`).join(''))
  const shards = Object.entries(SHARDS).map(([id, region]) => `${id}:${region}=${schemaUrl(url, id)}`)
  const urlOf = (store: string) => (store === 'meta' ? url : schemaUrl(url, store))
  const store = { cpuMilliseconds: () => processorTimeOfAll(primary.pids() ?? []) }
  return { cluster, url, urlOf, store, env: { DATABASE_URL: url, SHARDS: shards.join(), ...SECRETS } }
}

export type Installation = Awaited<ReturnType<typeof installationOnPostgres>>

/** The same as the first start leaves it. Each process that it starts has a data folder of its own. */
export async function installationOnPostgres() {
  const stores = await emptyStores()
  const folder = await preparedFolder(stores.env)
  return {
    ...stores,
    start: (name: string) => startOurs({ path: join(folder.path, name) }, stores.env),
    async [Symbol.asyncDispose]() {
      await stores.cluster.stop()
      await folder[Symbol.asyncDispose]()
    },
  }
}
