import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { startCluster } from './postgres-cluster.ts'

interface Database {
  readonly url: string
  /** A schema of the database, made here: what tests take for a shard. */
  schemaUrl(name: string): Promise<string>
  drop(): Promise<void>
}

/** An empty database of its own on the server at `adminUrl`. */
export async function freshDatabase(adminUrl: string): Promise<Database> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await command(adminUrl, `create database ${name} strategy file_copy`)
  const address = new URL(adminUrl)
  address.pathname = `/${name}`
  return {
    url: address.href,
    async schemaUrl(schema) {
      await command(address.href, `create schema "${schema}"`)
      const url = new URL(address)
      url.searchParams.set('options', `-c search_path="${schema}"`)
      return url.href
    },
    drop: () => command(adminUrl, `drop database ${name} with (force)`),
  }
}

/** The run's server where the runner started one, else one for this file alone. */
export async function testServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const url = process.env.TEST_DATABASE_URL
  if (url) return { url, stop: async () => undefined }
  const cluster = await startCluster({ replicas: 0 })
  return { url: cluster.primary.url(), stop: () => cluster.stop() }
}

export async function command(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
