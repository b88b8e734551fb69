import { test } from 'vitest'
import { startHttpServer } from '../processes/http-server.ts'
import { startSmtpServer } from '../processes/smtp-server.ts'

interface Fixtures {
  /** A web server that answers in this way, until the test has ended. */
  readonly answering: typeof startHttpServer
  /** A mail server, until the test has ended. */
  readonly receiving: typeof startSmtpServer
}

export const it = test.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  answering: async ({}, use) => {
    await using started = new AsyncDisposableStack()
    await use(async (...args) => started.adopt(await startHttpServer(...args), (server) => server.stop()))
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  receiving: async ({}, use) => {
    await using started = new AsyncDisposableStack()
    await use(async (...args) => started.adopt(await startSmtpServer(...args), (server) => server.stop()))
  },
})
