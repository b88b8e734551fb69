import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../src/config/config.ts'
import { prepare } from '../src/serve.ts'
import { type Cluster, startCluster } from '../test/postgres/cluster.ts'
import { command, databaseUrl, schemaUrl } from '../test/postgres/databases.ts'
import { processorTimeOfAll } from './load/processor-time.ts'
import { startOursWith } from './ours.ts'
import type { Server } from './server.ts'

const SHARDS = [
  ['apac-1', 'apac'],
  ['weur-1', 'weur'],
  ['oc-1', 'oc'],
] as const
const DATABASE = 'bench'
const SECRETS = { AUTH_SECRET: 'b'.repeat(43), CONFIG_ENCRYPTION_KEY: 'ab'.repeat(32) }

/** A global store and three shards, each shard a schema of the one database. */
export interface Installation extends AsyncDisposable {
  readonly cluster: Cluster
  readonly url: string
  readonly shardUrls: readonly string[]
  /** Leaves out the data folder. */
  readonly env: Readonly<Record<string, string>>
  /** The processor time of PostgreSQL itself. */
  readonly store: Pick<Server, 'cpuMilliseconds'>
  /** Starts one process, with a data folder of its own. */
  start(name: string, core?: string): Promise<Server>
}

/** An installation as the first start leaves it. */
export async function installationOnPostgres(): Promise<Installation> {
  const cluster = await startCluster({ replicas: 0 })
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'))
  const url = databaseUrl(cluster.primary.url(), DATABASE)
  await command(cluster.primary.url(), `create database ${DATABASE}`)
  await command(url, SHARDS.map(([id]) => `create schema "${id}";`).join(''))
  const env = environmentOf(cluster)
  const { platform } = await prepare(readConfig({ DATA_DIR: folder, ...env }))
  await platform.close()
  return {
    cluster,
    url,
    env,
    shardUrls: SHARDS.map(([id]) => schemaUrl(url, id)),
    store: { cpuMilliseconds: () => processorTimeOfAll(cluster.primary.pids() ?? []) },
    start: (name, core) => startOursWith({ DATA_DIR: join(folder, name), ...env }, core),
    async [Symbol.asyncDispose]() {
      await cluster.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function environmentOf({ primary }: Cluster) {
  const own = primary.url(DATABASE)
  return {
    DATABASE_URL: own,
    SHARDS: SHARDS.map(([id, region]) => `${id}:${region}=${schemaUrl(own, id)}`).join(),
    ...SECRETS,
  }
}
