import { test } from 'vitest'
import { testServer } from '../postgres/databases.ts'
import { migratedTemplate } from '../postgres/template.ts'
import { type Env, Installation } from './installation.ts'
import { storesIn } from './new-stores.ts'

export const ENGINES = ['SQLite', 'PostgreSQL'] as const

/** New stores, by the environment that names them. */
interface Places {
  /** Includes their tables: files of the data folder, or a database with these shards. */
  on(engine: (typeof ENGINES)[number], ...shards: string[]): Promise<Env>
  /** An empty database with a schema for each shard. */
  empty(...shards: string[]): Promise<Env>
}

/** A test of the real program. */
export const it = test.extend<{ program: Installation; elsewhere: Installation; places: Places }>({
  // biome-ignore-start lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  program: async ({}, use) => {
    await using program = new Installation()
    await use(program)
  },
  elsewhere: async ({}, use) => {
    await using elsewhere = new Installation()
    await use(elsewhere)
  },
  places: async ({}, use) => {
    const server = await testServer()
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
  // biome-ignore-end lint/correctness/noEmptyPattern: as above
})
