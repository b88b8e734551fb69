import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe } from 'vitest'
import { type Env, Installation } from '../../processes/installation.ts'
import { it as ofProgram, storesIn } from '../../processes/it.ts'
import { BALANCERS, canBalance } from './balancing.ts'
import { restartEach } from './rolling-restart.ts'

// Serves for longer than a check takes on a busy machine.
const OWN = { TRUSTED_PROXIES: '127.0.0.1', DRAIN_SECONDS: '5', USER_LIMIT_FACTOR: '1000' }

const it = ofProgram.extend<{ $file: { installation: Installation; env: Env } }>({
  env: [
    async ({ server }, use) => {
      await using databases = new AsyncDisposableStack()
      const stores = await storesIn(databases, server, ['apac-1'])
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

// From 0.3.0 on: what `npm run build` made for a release, `tar czf test/fixtures/program-0.3.0.tar.gz dist`.
const RELEASES = globSync('test/fixtures/program-*.tar.gz')

describe('two processes behind a proxy as deploy/ha has it', () => {
  for (const name of BALANCERS)
    it.skipIf(!canBalance(name))(
      `a rolling restart behind ${name} fails no request (needs ${name})`,
      async ({ installation, env }) => {
        await restartEach(name, installation, env)
      },
    )

  const pairs = RELEASES.flatMap((release) =>
    BALANCERS.map((name) => [basename(release), name, release] as const),
  )
  it.for(pairs)(
    'a rolling upgrade from %s behind %s fails no request',
    async ([, name, release], { server }) => {
      await using opened = new AsyncDisposableStack()
      const folder = mkdtempSync(join(tmpdir(), 'gatehouse-release-'))
      opened.defer(() => rmSync(folder, { recursive: true }))
      execFileSync('tar', ['xzf', release, '-C', folder])
      const old = opened.use(new Installation(join(folder, 'dist/gatehouse.mjs')))
      const next = opened.use(new Installation())
      const env = { ...OWN, ...(await storesIn(opened, server, ['apac-1'])) }
      await old.run(['prepare'], { ...env, DATA_DIR: next.dataDir })

      await restartEach(name, next, env, old)
    },
  )
})
