import { describe } from 'vitest'
import { RELEASES } from '../../fixtures/lived-in.ts'
import { oldInstallation } from '../../fixtures/old-program.ts'
import { testServer } from '../../postgres/databases.ts'
import { type Env, Installation } from '../../processes/installation.ts'
import { it as ofProgram } from '../../processes/it.ts'
import { storesIn } from '../../processes/new-stores.ts'
import { BALANCERS, canBalance } from './balancing.ts'
import { restartEach } from './rolling-restart.ts'

// Serves for longer than a check takes on a busy machine.
const OWN = { TRUSTED_PROXIES: '127.0.0.1', DRAIN_SECONDS: '5', USER_LIMIT_FACTOR: '1000' }

const it = ofProgram.extend<{ $file: { installation: Installation; env: Env } }>({
  env: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
    async ({}, use) => {
      await using databases = new AsyncDisposableStack()
      const stores = await storesIn(databases, await testServer(), ['apac-1'])
      await use({ ...stores, ...OWN })
    },
    { scope: 'file' },
  ],
  installation: [
    async ({ env }, use) => {
      await using installation = new Installation()
      await installation.prepare(env)
      await use(installation)
    },
    { scope: 'file' },
  ],
})

describe('two processes behind a proxy as deploy/ha has it', () => {
  for (const name of BALANCERS)
    it.skipIf(!canBalance(name))(
      `a rolling restart behind ${name} fails no request (needs ${name})`,
      async ({ installation, env }) => {
        await restartEach(name, installation, env)
      },
    )

  for (const release of RELEASES)
    for (const name of BALANCERS)
      it.skipIf(!canBalance(name))(
        `a rolling upgrade from ${release} behind ${name} fails no request (needs ${name})`,
        async () => {
          await using opened = new AsyncDisposableStack()
          const old = oldInstallation(opened, release)
          const next = opened.use(new Installation())
          const env = { ...OWN, ...(await storesIn(opened, await testServer(), ['apac-1'])) }
          await old.run(['prepare'], { ...env, DATA_DIR: next.dataDir })

          await restartEach(name, next, env, { before: old })
        },
      )
})
