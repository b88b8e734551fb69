import { test } from 'vitest'
import { type Database, freshDatabase, testServer } from '../postgres/databases.ts'

interface Fixtures {
  /** The address of a PostgreSQL server. */
  readonly server: string
  /** An empty database of the test's own. */
  readonly database: Database
}

export const it = test.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  server: async ({}, use) => use(await testServer()),
  database: async ({ server }, use) => {
    const database = await freshDatabase(server)
    await use(database)
    await database.drop()
  },
})
