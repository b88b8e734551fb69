import { test } from 'vitest'
import { command, freshDatabase, schemaUrl, testServer } from '../postgres/databases.ts'
import { migratedTemplate } from '../postgres/template.ts'
import { type Env, Installation } from './installation.ts'

export const ENGINES = ['SQLite', 'PostgreSQL'] as const

/** New stores, by the environment that names them. */
interface Places {
  /** With their tables: files of the data folder, or a database with these shards. */
  on(engine: (typeof ENGINES)[number], ...shards: string[]): Promise<Env>
  /** An empty database with a schema for each shard. */
  empty(...shards: string[]): Promise<Env>
}

/** A test of the real program. */
export const it = test.extend<{
  $file: { server: string }
  $test: { program: Installation; elsewhere: Installation; places: Places }
}>({
  // biome-ignore-start lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  server: [
    async ({}, use) => {
      const server = await testServer()
      await use(server.url)
      await server.stop()
    },
    { scope: 'file' },
  ],
  program: async ({}, use) => {
    await using program = new Installation()
    await use(program)
  },
  elsewhere: async ({}, use) => {
    await using elsewhere = new Installation()
    await use(elsewhere)
  },
  // biome-ignore-end lint/correctness/noEmptyPattern: as above
  places: async ({ server }, use) => {
    await using databases = new AsyncDisposableStack()
    await use({
      async on(engine, ...shards) {
        if (engine === 'SQLite') return {}
        const ids = shards.length === 0 ? ['apac-1'] : shards
        return storesIn(databases, server, ids, await migratedTemplate(server, ids))
      },
      empty: (...shards) => storesIn(databases, server, shards),
    })
  },
})

/** The environment of a new database of this server: empty, or a copy. */
export async function storesIn(
  databases: AsyncDisposableStack,
  server: string,
  shards: readonly string[],
  template?: string,
): Promise<Env> {
  const { url, drop } = await freshDatabase(server, template)
  databases.defer(drop)
  if (template === undefined) await command(url, shards.map((id) => `create schema "${id}";`).join(''))
  return environmentOf(shards, (id) => schemaUrl(url, id), url)
}

/** What names these shards to a program, and the database of the global store. */
export function environmentOf(
  shards: readonly string[],
  placeOf: (id: string) => string,
  database?: string,
): Env {
  const all = shards.map((id) => `${id}:${id.replace(/-\d$/, '')}=${placeOf(id)}`)
  return { ...(database !== undefined && { DATABASE_URL: database }), SHARDS: all.join(',') }
}
