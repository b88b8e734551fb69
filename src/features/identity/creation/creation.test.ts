import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { builtPages } from '../../../../test/service/built-pages.ts'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { it } from '../../../../test/service/it.ts'
import { type Person, stranger } from '../../../../test/service/people.ts'
import { type Service, startService } from '../../../../test/service/service.ts'
import { createApp } from '../../../app.ts'
import { openShard } from '../../../database/stores.ts'
import { currentSettings } from '../../settings/settings.ts'
import { createUser } from './creation.ts'
import { newUser } from './new-user.ts'

const TRUSTED_FRONT = { TRUSTED_PROXIES: '127.0.0.0/8' }

describe('the shard of a new user', () => {
  const regions = [
    ['AS', 'apac-1'],
    ['EU', 'weur-1'],
    ['OC', 'oc-1'],
    ['eu', 'weur-1'],
    ['NA', 'apac-1'],
    ['T1', 'apac-1'],
    ['', 'apac-1'],
  ] as const
  for (const [continent, shard] of regions) {
    it(`is ${shard} for continent "${continent}" from a trusted front`, async () => {
      await using service = await startService({ env: TRUSTED_FRONT })

      const carl = await signUpFrom(service, continent)

      assert.equal(await shardOf(service, carl), shard)
    })
  }

  it('does not depend on a header that anyone can send', async ({ service }) => {
    assert.equal(await shardOf(service, await signUpFrom(service, 'EU')), 'apac-1')
  })

  it('is the least filled active one of the region', async () => {
    const shards = 'eu-1:weur=/a.sqlite,eu-2:weur=/b.sqlite,eu-3:weur=/c.sqlite,asia:apac=/d.sqlite'
    await using service = await startService({ env: { ...TRUSTED_FRONT, SHARDS: shards } })
    await drain(service, 'eu-2')

    const used: (string | undefined)[] = []
    for (const name of ['a', 'b', 'c', 'd'])
      used.push(await shardOf(service, await signUpFrom(service, 'EU', name)))

    assert.deepEqual(used, ['eu-1', 'eu-3', 'eu-1', 'eu-3'])
  })

  it('is any active one if the region has none', async () => {
    await using service = await startService({ env: TRUSTED_FRONT })
    await drain(service, 'weur-1')

    assert.notEqual(await shardOf(service, await signUpFrom(service, 'EU')), 'weur-1')
  })

  it('without any active one sign-up is 503, and no user is created', async ({ service }) => {
    for (const id of service.platform.shards.keys()) await drain(service, id)
    const carl = stranger(service)

    const answer = await carl.signUp()

    assert.deepEqual([answer.status, answer.body.code], [503, 'STORE_UNAVAILABLE'])
    assert.equal((await carl.signIn()).status, 401)
  })
})

describe('a new user', () => {
  it('has an affiliate code of its own', async ({ service }) => {
    const codes = new Set<string>()

    for (const name of ['a', 'b', 'c']) {
      const person = stranger(service, `${name}@example.com`)
      await person.signUp()
      codes.add((await person.get('/api/auth/get-session')).body.user.affCode)
    }

    assert.equal(codes.size, 3)
    for (const code of codes) assert.match(code, /^[2-9A-HJ-NP-Z]{8}$/)
  })

  it('gets another affiliate code if the first is taken', async ({ service }) => {
    const carl = stranger(service)
    await carl.signUp()
    const taken = (await carl.get('/api/auth/get-session')).body.user.affCode
    const chances = [taken, taken, 'FREE2345']

    const made = await createUser(
      service.platform,
      await currentSettings(service.platform),
      newcomer('dora@example.com'),
      () => [],
      { chance: () => chances.shift() ?? 'NONELEFT' },
    )

    assert.equal(made?.aff_code, 'FREE2345')
  })

  it('gets the signup reward once, in a ledger entry of source signup and own id', async ({ service }) => {
    await changeSettings(service, 'credits', { signup_reward_enabled: true, signup_reward_amount: 25 })
    const carl = stranger(service)
    await carl.signUp()

    const entries = await shardStore(service, carl).then((shard) =>
      shard.selectFrom('credit_entries').selectAll().where('user_id', '=', carl.id).execute(),
    )

    assert.deepEqual(
      entries.map(({ source_type, source_id, amount, balance_after }) => [
        source_type,
        source_id,
        amount,
        balance_after,
      ]),
      [['signup', carl.id, 25, 25]],
    )
  })

  it('has a balance of 0 if there is no reward', async ({ service }) => {
    const carl = stranger(service)
    await carl.signUp()

    const shard = await shardStore(service, carl)
    const row = await shard
      .selectFrom('credit_balance')
      .select('balance')
      .where('user_id', '=', carl.id)
      .executeTakeFirst()

    assert.equal(row?.balance, 0)
  })

  it('exists and is signed in although the shard is down; the balance comes later, with the reward of that day', async ({
    service,
  }) => {
    await changeSettings(service, 'credits', { signup_reward_enabled: true, signup_reward_amount: 25 })
    const away = await openShard({
      id: 'apac-1',
      region: 'apac',
      url: 'postgres://127.0.0.1:1/nowhere',
      replicaUrls: [],
    })
    const shards = new Map([...service.platform.shards, ['apac-1', away] as const])
    const app = createApp({ ...service.platform, shards }, builtPages())
    const carl = stranger({ ...service, request: async (path, init) => app.request(path, init) })

    const answer = await carl.signUp()

    assert.equal(answer.status, 200)
    assert.equal((await carl.get('/api/auth/get-session')).body.user.id, carl.id)
    const shard = await shardStore(service, carl)
    const before = await shard
      .selectFrom('credit_balance')
      .select('balance')
      .where('user_id', '=', carl.id)
      .execute()
    assert.equal(before.length, 0)
    await changeSettings(service, 'credits', { signup_reward_enabled: false, signup_reward_amount: 99 })
    const restarted = stranger(service)
    await restarted.signIn()
    for (let touch = 0; touch < 2; touch++) {
      assert.deepEqual((await restarted.post('/api/get_credit_summary')).body, { balance: 25 })
    }
    await away.close()
  })
})

describe('a user whose shard fails after the global store has committed', () => {
  it('exists, gets the usual response, and has the balance once the shard works again', async ({
    service,
  }) => {
    const sound = service.platform.shards.get('apac-1')
    assert.ok(sound)
    const ill = new Proxy(sound, {
      get: (shard, name) => (name === 'batch' ? failing : Reflect.get(shard, name, shard)),
    })
    const shards = new Map([...service.platform.shards, ['apac-1', ill] as const])
    const app = createApp({ ...service.platform, shards }, builtPages())
    const carl = stranger({ ...service, request: async (path, init) => app.request(path, init) })

    const answer = await carl.signUp()
    const again = stranger(service)
    const signedIn = await again.signIn()

    assert.deepEqual([answer.status, signedIn.status], [200, 200])
    assert.deepEqual((await again.post('/api/get_credit_summary')).body, { balance: 0 })
  })
})

async function failing(): Promise<never> {
  throw new Error('the shard says something that nobody expected')
}

function newcomer(email: string) {
  return newUser({ email, name: email })
}

async function signUpFrom(service: Service, continent: string, name = 'carl'): Promise<Person> {
  const person = stranger(service, `${name}@example.com`)
  const body = { email: person.email, password: person.password, name }
  const answer = await person.post('/api/auth/sign-up/email', body, { 'cf-ipcontinent': continent })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  await person.signIn()
  return person
}

async function shardOf({ platform }: Service, person: Person): Promise<string | undefined> {
  const row = await platform.meta
    .selectFrom('user_shards')
    .select('shard_id')
    .where('user_id', '=', person.id)
    .executeTakeFirst()
  return row?.shard_id
}

async function shardStore(service: Service, person: Person) {
  const shard = service.platform.shards.get((await shardOf(service, person)) ?? '')
  assert.ok(shard)
  return shard
}

async function drain({ platform }: Service, id: string): Promise<void> {
  await platform.meta.updateTable('shards').set({ state: 'draining' }).where('id', '=', id).execute()
}
