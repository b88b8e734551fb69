import { afterAll, beforeAll } from 'vitest'
import { command, freshDatabase, schemaUrl, testServer } from '../../postgres/databases.ts'

const SHARD = 'apac-1'

/** Where the program keeps its data on each engine. On PostgreSQL, all tests of a file share a database. */
export function storesOfEngines(): ReadonlyMap<string, () => Readonly<Record<string, string>>> {
  let server: Awaited<ReturnType<typeof testServer>>
  let database: Awaited<ReturnType<typeof freshDatabase>>
  beforeAll(async () => {
    server = await testServer()
    database = await freshDatabase(server.url)
    await command(database.url, `create schema "${SHARD}"`)
  })
  afterAll(async () => {
    await database.drop()
    await server.stop()
  })
  const onPostgres = () => ({
    DATABASE_URL: database.url,
    SHARDS: `${SHARD}:apac=${schemaUrl(database.url, SHARD)}`,
  })
  return new Map([
    ['embedded stores', () => ({})],
    ['PostgreSQL', onPostgres],
  ])
}
