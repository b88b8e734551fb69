import { describe } from 'vitest'
import { type Env, Installation } from '../../processes/installation.ts'
import { it as ofProgram, storesIn } from '../../processes/it.ts'
import { BALANCERS, canBalance } from './balancing.ts'
import { restartEach } from './rolling-restart.ts'

const it = ofProgram.extend<{ $file: { installation: Installation; env: Env } }>({
  env: [
    async ({ server }, use) => {
      await using databases = new AsyncDisposableStack()
      const stores = await storesIn(databases, server, ['apac-1'])
      // Longer than a check takes on a busy machine.
      const own = { TRUSTED_PROXIES: '127.0.0.1', DRAIN_SECONDS: '5', USER_LIMIT_FACTOR: '1000' }
      await use({ ...stores, ...own })
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
})
