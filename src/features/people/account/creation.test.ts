import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { builtPages } from '../../../../test/service/built-pages.ts'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { it } from '../../../../test/service/it.ts'
import { newcomer, type Person, stranger } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { ask } from '../../../../test/service/without-socket.ts'
import { createApp } from '../../../app.ts'
import type { Shard } from '../../../database/store.ts'
import { openShard } from '../../../database/stores.ts'
import { bySettings } from '../../ground/settings/current-settings.ts'
import { decideNewcomer, newUser } from './creation.ts'

const SUMMARY = '/api/get_credit_summary'
const REWARD = { signup_reward_enabled: true, signup_reward_amount: 25 }

describe('the shard of a new user', () => {
  it.override('options', { env: { TRUSTED_PROXIES: '127.0.0.0/8' } })

  it('is in the region of the continent that a trusted front names', async ({ service }) => {
    for (const [i, [continent, shard]] of [
      ['AS', 'apac-1'],
      ['EU', 'weur-1'],
      ['OC', 'oc-1'],
      ['eu', 'weur-1'],
      ['NA', 'apac-1'],
      ['T1', 'apac-1'],
      ['', 'apac-1'],
    ].entries())
      assert.equal(await shardFrom(service, continent ?? '', `person-${i}`), shard, continent)
  })

  it('is any active one if the region has none', async ({ service }) => {
    await drain(service, 'weur-1')

    assert.notEqual(await shardFrom(service, 'EU'), 'weur-1')
  })
})

describe('the shard of a new user without a trusted front', () => {
  it('does not depend on a header that anyone can send', async ({ service }) => {
    assert.equal(await shardFrom(service, 'EU'), 'apac-1')
  })

  it('must exist: otherwise sign-up is 503 and creates no user', async ({ service }) => {
    for (const id of service.platform.shards.keys()) await drain(service, id)
    const carl = stranger(service)

    assertRefused(await carl.signUp(), 'STORE_UNAVAILABLE')
    assert.equal((await carl.signIn()).status, 401)
  })
})

describe('the shard of a new user in a region of several', () => {
  const SHARDS = 'eu-1:weur=/a.sqlite,eu-2:weur=/b.sqlite,eu-3:weur=/c.sqlite,asia:apac=/d.sqlite'
  it.override('options', { env: { TRUSTED_PROXIES: '127.0.0.0/8', SHARDS } })

  it('is the least filled active one', async ({ service }) => {
    await drain(service, 'eu-2')

    const used: (string | undefined)[] = []
    for (const name of ['a', 'b', 'c', 'd']) used.push(await shardFrom(service, 'EU', name))

    assert.deepEqual(used, ['eu-1', 'eu-3', 'eu-1', 'eu-3'])
  })
})

describe('a new user', () => {
  const affCodeOf = async (person: Person): Promise<string> =>
    (await person.get('/api/auth/get-session')).body.user.affCode

  it('has an affiliate code of its own', async ({ service }) => {
    const codes = new Set<string>()

    for (const name of ['a', 'b', 'c']) codes.add(await affCodeOf(await newcomer(service, `${name}@example.com`)))

    assert.equal(codes.size, 3)
    for (const code of codes) assert.match(code, /^[2-9A-HJ-NP-Z]{8}$/)
  })

  it('has the address for a name if none was sent', async ({ service }) => {
    const carl = stranger(service)
    const { email, password } = carl
    const { status, body } = await carl.post('/api/auth/sign-up/email', { email, password })

    assert.deepEqual([status, body.user.name], [200, email])
  })

  it('gets another affiliate code if the first is taken', async ({ service: { platform }, ann }) => {
    const taken = await affCodeOf(ann)
    const chances = [taken, taken, 'FREE2345']
    const dora = newUser({ email: 'dora@example.com', name: 'Dora' })

    const created = await bySettings(platform, (settings) =>
      decideNewcomer({ platform }, settings, dora, [], async (_, made) => made, chances.shift()),
    )

    assert.equal(created?.user.aff_code, 'FREE2345')
  })

  it('gets the signup reward once, in a ledger entry of source signup and own id', async ({ service }) => {
    await changeSettings(service, 'credits', REWARD)
    const { id } = await newcomer(service)

    const rows = (await shardStore(service, id)).selectFrom('credit_entries').where('user_id', '=', id)
    const entries = await rows.select(['source_type', 'source_id', 'amount', 'balance_after']).execute()
    assert.deepEqual(entries, [{ source_type: 'signup', source_id: id, amount: 25, balance_after: 25 }])
  })

  it('has a balance of 0 if there is no reward', async ({ service }) => {
    const { id } = await newcomer(service)

    assert.deepEqual(await balancesOf(service, id), [{ balance: 0 }])
  })
})

describe('a new user whose shard does not work', () => {
  it('is signed in although the shard is down; the reward of that day comes later', async ({ service }) => {
    await changeSettings(service, 'credits', REWARD)
    const url = 'postgres://127.0.0.1:1/nowhere'
    const away = await openShard({ id: 'apac-1', region: 'apac', url, replicaUrls: [] })
    const carl = stranger(withShard(service, away))

    assert.equal((await carl.signUp()).status, 200)
    assert.equal((await carl.get('/api/auth/get-session')).body.user.id, carl.id)
    assert.deepEqual(await balancesOf(service, carl.id), [])
    await changeSettings(service, 'credits', { signup_reward_enabled: false, signup_reward_amount: 99 })
    const restarted = stranger(service)
    await restarted.signIn()
    for (let touch = 0; touch < 2; touch++) assert.deepEqual((await restarted.post(SUMMARY)).body, { balance: 25 })
    await away.close()
  })

  it('gets the usual response, and the balance once the shard works again', async ({ service }) => {
    const sound = service.platform.shards.get('apac-1') ?? assert.fail()
    const failing = () => Promise.reject(new Error('the shard says something that nobody expected'))
    const ill = new Proxy(sound, {
      get: (shard, name) => (name === 'batch' ? failing : Reflect.get(shard, name, shard)),
    })
    const again = stranger(service)

    assert.equal((await stranger(withShard(service, ill)).signUp()).status, 200)
    assert.equal((await again.signIn()).status, 200)
    assert.deepEqual((await again.post(SUMMARY)).body, { balance: 0 })
  })
})

/** The service in a process that reaches this shard where people sign up. */
function withShard(service: Service, shard: Shard): Service {
  const shards = new Map([...service.platform.shards, ['apac-1', shard] as const])
  const app = createApp({ ...service.platform, shards }, builtPages())
  return { ...service, request: (path, init) => ask(app, path, init) }
}

/** The shard that a sign-up from that continent gets. */
async function shardFrom(service: Service, continent: string, name = 'carl'): Promise<string | undefined> {
  const { email, password } = stranger(service, `${name}@example.com`)
  const headers = { 'cf-ipcontinent': continent }
  const answer = await stranger(service).post('/api/auth/sign-up/email', { email, password, name }, headers)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return shardOf(service, answer.body.user.id)
}

async function shardOf({ platform }: Service, userId: string): Promise<string | undefined> {
  const rows = platform.meta.selectFrom('user_shards').select('shard_id').where('user_id', '=', userId)
  return (await rows.executeTakeFirst())?.shard_id
}

async function shardStore(service: Service, userId: string): Promise<Shard> {
  return service.platform.shards.get((await shardOf(service, userId)) ?? '') ?? assert.fail()
}

async function balancesOf(service: Service, userId: string) {
  const shard = await shardStore(service, userId)
  return shard.selectFrom('credit_balance').select('balance').where('user_id', '=', userId).execute()
}

async function drain({ platform }: Service, id: string): Promise<void> {
  await platform.meta.updateTable('shards').set({ state: 'draining' }).where('id', '=', id).execute()
}
