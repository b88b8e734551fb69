import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../src/config/config.ts'
import { prepare } from '../src/serve.ts'
import { startCluster } from '../test/postgres/cluster.ts'
import { command, schemaUrl } from '../test/postgres/databases.ts'
import { processorTimeOfAll } from './load/processor-time.ts'
import { startOurs } from './ours.ts'

const SHARDS = [
  ['apac-1', 'apac'],
  ['weur-1', 'weur'],
  ['oc-1', 'oc'],
] as const
const DATABASE = 'bench'
const SECRETS = { AUTH_SECRET: 'b'.repeat(43), CONFIG_ENCRYPTION_KEY: 'ab'.repeat(32) }

/** PostgreSQL with a global store and three shards, each shard a schema of the one database, as yet without tables. */
export async function emptyStores() {
  const cluster = await startCluster({ replicas: 0 })
  const { primary } = cluster
  const url = primary.url(DATABASE)
  await command(primary.url(), `create database ${DATABASE}`)
  await command(url, SHARDS.map(([id]) => `create schema "${id}";`).join(''))
  const shards = SHARDS.map(([id, region]) => `${id}:${region}=${schemaUrl(url, id)}`).join()
  const shardUrls = SHARDS.map(([id]) => schemaUrl(url, id))
  const store = { cpuMilliseconds: () => processorTimeOfAll(primary.pids() ?? []) }
  return { cluster, url, shardUrls, store, env: { DATABASE_URL: url, SHARDS: shards, ...SECRETS } }
}

export type Installation = Awaited<ReturnType<typeof installationOnPostgres>>

/** The same as the first start leaves it. Each process that it starts has a data folder of its own. */
export async function installationOnPostgres() {
  const stores = await emptyStores()
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'))
  const { platform } = await prepare(readConfig({ DATA_DIR: folder, ...stores.env }))
  await platform.close()
  return {
    ...stores,
    start: (name: string, core?: string) => startOurs({ path: join(folder, name) }, stores.env, core),
    async [Symbol.asyncDispose]() {
      await stores.cluster.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
