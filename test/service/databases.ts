import { test } from 'vitest'
import { type Database, freshDatabase, testServer } from '../postgres/databases.ts'

interface Fixtures {
  /** A PostgreSQL server, started once for all files of a worker. */
  readonly server: Awaited<ReturnType<typeof testServer>>
  /** An empty database of the test's own. */
  readonly database: Database
}

export const it = test.extend<Fixtures>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
    async ({}, use) => {
      const server = await testServer()
      await use(server)
      await server.stop()
    },
    { scope: 'worker' },
  ],
  database: async ({ server }, use) => {
    const database = await freshDatabase(server.url)
    await use(database)
    await database.drop()
  },
})
