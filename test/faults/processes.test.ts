import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { testServer } from '../postgres/databases.ts'
import { type Balancer, startBalancer } from '../processes/balancer.ts'
import { type Env, Installation, type Life } from '../processes/installation.ts'
import { storesIn } from '../processes/new-stores.ts'
import { findRedisServer, startRedis } from '../processes/redis.ts'
import { keepBusy } from './support/busy.ts'

const resources = new AsyncDisposableStack()
let server: string
let installation: Installation
let env: Env
let members: Life[]
let balancer: Balancer

beforeAll(async () => {
  server = await testServer()
  env = await storesIn(resources, server, ['apac-1'])
  const redis = findRedisServer()
  const keyValue = redis && resources.adopt(await startRedis(redis), (one) => one.stop())
  // The balancer is in this process: a process drains for longer than this one may stand still on a busy machine.
  env = { ...env, DRAIN_SECONDS: '5', ...(keyValue && { KV_URL: keyValue.url }) }
  // A fast machine would bring the busy people to the limits of one person.
  env = { ...env, USER_LIMIT_FACTOR: '1000' }
  installation = resources.use(new Installation())
  await installation.prepare(env)
  members = await Promise.all([1, 2, 3].map(() => installation.serve(env)))
  balancer = resources.adopt(await startBalancer(members.map(({ port }) => port)), (one) => one.stop())
})

afterAll(() => resources.disposeAsync())

describe('processes that come and go under load', () => {
  it('replacing each of them costs no request', async () => {
    const busy = await keepBusy(balancer, ['fay', 'gil', 'hal'])

    for (const [i, old] of members.entries()) {
      old.child.kill('SIGTERM')
      await balancer.leftAlone(old.port)
      assert.equal((await old.output).code, 0)
      members[i] = await installation.serve({ ...env, PORT: String(old.port) })
      await busy.roundsOfAll(2)
    }
    const { answers, lost } = await busy.stop()

    assert.deepEqual(Object.keys(answers), ['200'], JSON.stringify(answers))
    assert.deepEqual(lost, [])
  })

  it('one that is killed loses no acknowledged write', async () => {
    const busy = await keepBusy(balancer, ['ida', 'jon', 'kai'])
    await busy.roundsOfAll(2)

    await members[0]?.end('SIGKILL')
    await busy.roundsOfAll(5)
    const { lost } = await busy.stop()

    assert.deepEqual(lost, [])
  })
})

describe('processes that start at once on an empty database', () => {
  it('one of them migrates, one makes the administrator, all of them serve', async () => {
    await using databases = new AsyncDisposableStack()
    await using fresh = new Installation()
    const empty = await storesIn(databases, server, ['apac-1'])

    const started = await Promise.all([1, 2, 3].map(() => fresh.serve(empty)))

    const states = await Promise.all(started.map(async (life) => (await life.request('/readyz')).status))
    const outputs = await Promise.all(started.map((life) => life.end()))
    assert.deepEqual(states, [200, 200, 200])
    assert.equal(outputs.filter(({ stdout }) => stdout.includes('Password: ')).length, 1)
  })
})
