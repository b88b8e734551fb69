import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { startCluster } from './cluster.ts'

export interface Database {
  readonly url: string
  drop(): Promise<void>
}

/** A database of its own on the server at `adminUrl`: empty, or a copy. */
export async function freshDatabase(adminUrl: string, template = 'template1'): Promise<Database> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await withClient(adminUrl, (client) => createDatabase(client, name, template))
  return {
    url: databaseUrl(adminUrl, name),
    drop: () => command(adminUrl, `drop database ${name} with (force)`),
  }
}

/** By copying files, which is fastest, and the only way of PostgreSQL 14. */
export async function createDatabase(client: pg.Client, name: string, template = 'template1'): Promise<void> {
  const { rows } = await client.query(`select current_setting('server_version_num')::int as version`)
  const strategy = rows[0].version >= 150_000 ? 'strategy file_copy' : ''
  await client.query(`create database ${name} template ${template} ${strategy}`)
}

export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

/** A schema of the database: what tests take for a shard. */
export function schemaUrl(database: string, schema: string): string {
  const url = new URL(database)
  url.searchParams.set('options', `-c search_path="${schema}"`)
  return url.href
}

let own: ReturnType<typeof startCluster> | undefined

/** The address of the run's server if the runner started one, else of one that lives as long as this process. */
export async function testServer(): Promise<string> {
  const url = process.env.TEST_DATABASE_URL
  if (url) return url
  own ??= startCluster({ replicas: 0 })
  const { primary } = await own
  primary.unref()
  return primary.url()
}

export async function command(url: string, sql: string): Promise<void> {
  await withClient(url, (client) => client.query(sql))
}

/** The rows of a query, as objects. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
export function rowsIn(url: string, sql: string, values: readonly unknown[] = []): Promise<any[]> {
  return withClient(url, async (client) => (await client.query(sql, [...values])).rows)
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
