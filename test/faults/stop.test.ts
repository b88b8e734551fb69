import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { closeStores, openStores } from '../../src/database/stores.ts'
import { hashesAtOnce } from '../../src/platform/passwords/passwords.ts'
import { prepareStores } from '../../src/prepare.ts'
import { Installation } from '../processes/installation.ts'
import { storesOfEngines } from './support/both-engines.ts'
import { untilSo } from './support/replicated.ts'

const ITERATIONS = 700_000
const NETWORKS = 3
/** Hashing for all of them takes longer than a stop waits for its requests. */
const FROM_EACH = 20 * hashesAtOnce()

describe('a stop beside a flood of sign-ins', () => {
  for (const [name, stores] of storesOfEngines())
    it(`on ${name} fails no request: each sign-in is answered, or is refused and can be repeated`, async () => {
      await using program = new Installation()
      const env = { ...stores(), TRUSTED_PROXIES: '127.0.0.0/8', LOG_FORMAT: 'json' }
      await fixCostOfPasswords({ DATA_DIR: program.dataDir, ...env })
      const { child, url, output } = await program.serve(env)

      let answered = 0
      const flood = Array.from({ length: NETWORKS * FROM_EACH }, async (_, i) => {
        const answer = await signIn(url, `203.0.${i % NETWORKS}.9`, i)
        answered++
        return answer
      })
      await untilSo('every sign-in waits, runs or is answered', async () => {
        const before = answered
        return before + (await waitingHashes(url)) + hashesAtOnce() >= flood.length
      })
      child.kill('SIGTERM')
      const answers = await Promise.all(flood)
      const { code, stderr } = await output

      assert.equal(code, 0)
      assert.deepEqual(
        linesOf(stderr).filter(({ level }) => level === 'error'),
        [],
      )
      for (const { status, headers } of answers)
        assert.deepEqual([status, headers.get('retry-after')], status === 401 ? [401, null] : [503, '2'])
    })
})

async function fixCostOfPasswords(env: Readonly<Record<string, string>>): Promise<void> {
  const config = readConfig(env)
  const stores = await openStores(config)
  await prepareStores(config, stores, Date.now, ITERATIONS)
  await closeStores(stores)
}

function signIn(url: string, address: string, i: number): Promise<Response> {
  return fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ email: `person-${i}@example.com`, password: 'not the password' }),
  })
}

async function waitingHashes(url: string): Promise<number> {
  const figures = await (await fetch(`${url}/metrics`)).text()
  return Number(/^\w*hash_queue (\d+)$/m.exec(figures)?.[1])
}

function linesOf(log: string): readonly { level: string }[] {
  return log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}
