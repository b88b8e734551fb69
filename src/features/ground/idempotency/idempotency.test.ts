import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { asIfLarge, openPatiently, whileHeld } from '../../../../test/postgres/held-user.ts'
import { refusal, statuses } from '../../../../test/service/answers.ts'
import { bearer, register, tokenRequest } from '../../../../test/service/applications.ts'
import { it } from '../../../../test/service/it.ts'
import type { Answer, Person } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { moveUser } from '../../tenancy/moves/moving.ts'

const FEEDBACK = '/api/submit_feedback'
const REUSED = [422, 'IDEMPOTENCY_KEY_REUSED']
const HELLO = { type: 'idea', content: 'Hello' }

/** This route takes a key too, but can succeed only once. */
const BIND = '/api/bind_beta_code'

/** The tests of feedback cover this route. */
const REPLY = '/api/admin/reply_to_feedback'

/** Every other route that takes a key, with two bodies and the list that counts its effects. */
const GIVE = '/api/admin/give_credits'
const WRITES = [
  { path: FEEDBACK, body: HELLO, other: { ...HELLO, content: 'Bye' }, list: 'feedbacks' },
  {
    path: '/api/admin/create_notification',
    body: { title: 'One', content: '1' },
    other: { title: 'Two', content: '2' },
    list: 'notifications',
  },
  { path: '/api/admin/generate_beta_codes', body: { count: 3 }, other: { count: 2 }, list: 'beta_codes' },
]

/** Each of these adds one entry to its list. */
const PROGRAM_WRITES = [
  { path: '/api/admin/create_notification', body: { title: 'One', content: '1' }, list: 'notifications' },
  { path: '/api/admin/generate_beta_codes', body: { count: 1 }, list: 'beta_codes' },
]

describe('checklist 99: Idempotency-Key', () => {
  for (const { path, body, other, list } of WRITES) {
    it(`${path}: the same request again gets the first response and changes nothing`, async ({ administrator }) => {
      const first = await keyed(administrator, path, body)
      const once = await total(administrator, list)
      const again = await keyed(administrator, path, body)
      const reused = await keyed(administrator, path, other)

      assert.deepEqual([first.status, again.status, again.body], [200, 200, first.body])
      assert.deepEqual(refusal(reused), REUSED)
      assert.equal(await total(administrator, list), once)
    })

    it(`${path}: of ten at once one is done, and all get its response`, async ({ administrator }) => {
      const before = await total(administrator, list)
      await keyed(administrator, path, body, 'alone')
      const effect = (await total(administrator, list)) - before

      const answers = await Promise.all(Array.from({ length: 10 }, () => keyed(administrator, path, body)))

      assertSame(answers)
      assert.equal(await total(administrator, list), before + 2 * effect)
    })
  }

  it(`${GIVE}: of ten at once one gives, and all get its response; another amount under its key is refused`, async ({
    administrator,
    ann,
  }) => {
    const gift = { id: ann.id, amount: 5 }
    const { body: before } = await ann.post('/api/get_credit_summary')

    const answers = await Promise.all(Array.from({ length: 10 }, () => keyed(administrator, GIVE, gift)))
    const reused = await keyed(administrator, GIVE, { ...gift, amount: 6 })

    assertSame(answers)
    assert.deepEqual(refusal(reused), REUSED)
    const { body: after } = await ann.post('/api/get_credit_summary')
    assert.equal(after.balance, before.balance + 5)
  })

  it(`${GIVE}: the same request again gets the first response, also after another gift`, async ({
    service,
    administrator,
    ann,
  }) => {
    const gift = { id: ann.id, amount: 5 }

    const first = await keyed(administrator, GIVE, gift)
    const other = await administrator.post(GIVE, { ...gift, amount: 3 })
    await moveUser(service.platform, ann.id, 'oc-1')
    const again = await keyed(administrator, GIVE, gift)

    assert.deepEqual(
      [first, other, again].map(({ body }) => body),
      [{ balance: 5 }, { balance: 8 }, { balance: 5 }],
    )
  })

  it(`${BIND}: of ten at once one binds, and all get its response; a refusal is not remembered`, async ({
    administrator,
    ann,
    ben,
  }) => {
    const made = await administrator.post('/api/admin/generate_beta_codes', { count: 2 })
    const [beta_code, other] = made.body.codes

    const answers = await Promise.all(Array.from({ length: 10 }, () => keyed(ann, BIND, { beta_code })))
    const reused = await keyed(ann, BIND, { beta_code: other })
    const unkeyed = await ann.post(BIND, { beta_code })
    const refused = await keyed(ben, BIND, { beta_code })
    const inTime = await keyed(ben, BIND, { beta_code: other })

    assertSame(answers)
    assert.deepEqual(answers[0]?.body, {})
    assert.deepEqual(refusal(reused), REUSED)
    for (const answer of [unkeyed, refused]) assert.deepEqual(refusal(answer), [409, 'BETA_CODE_ALREADY_BOUND'])
    assert.equal(inTime.status, 200)
  })

  it('belongs to its caller, is valid for a day, and moves with its user', async ({ service, ann, ben }) => {
    const first = await keyed(ann, FEEDBACK, HELLO)
    const ofBen = await keyed(ben, FEEDBACK, HELLO)
    await moveUser(service.platform, ann.id, 'oc-1')
    const moved = await keyed(ann, FEEDBACK, HELLO)
    service.clock.advance({ hours: 23, minutes: 59 })
    await service.runJob('idempotency-sweep')
    const lastMinute = await keyed(ann, FEEDBACK, HELLO)
    service.clock.advance({ minutes: 2 })
    await service.runJob('idempotency-sweep')
    const nextDay = await keyed(ann, FEEDBACK, HELLO)

    assert.deepEqual([moved.body.id, lastMinute.body.id], [first.body.id, first.body.id])
    assert.equal(new Set([first, ofBen, nextDay].map(({ body }) => body.id)).size, 3)
  })

  for (const { path, body, list } of PROGRAM_WRITES) {
    it(`${path}: two applications and a browser of one user do not share a key`, async ({ administrator }) => {
      const before = await total(administrator, list)
      const tokens = [await tokenOf(administrator, 'One'), await tokenOf(administrator, 'Two')]

      const answers = []
      for (const headers of [...tokens.map(bearer), {}])
        answers.push(await keyed(administrator, path, body, '1', headers))
      const again = await keyed(administrator, path, body, '1', bearer(tokens[1] ?? ''))

      assert.deepEqual(statuses(answers), [200, 200, 200])
      assert.equal(new Set(answers.map(({ body: sent }) => JSON.stringify(sent))).size, 3)
      assert.deepEqual(again.body, answers[1]?.body)
      assert.equal(await total(administrator, list), before + 3)
    })
  }

  it(`${GIVE}: two applications and a browser do not share a key, and neither do two users`, async ({
    administrator,
    ann,
    ben,
  }) => {
    const tokens = [await tokenOf(administrator, 'One'), await tokenOf(administrator, 'Two')]
    const give = ({ id }: Person, headers = {}) => keyed(administrator, GIVE, { id, amount: 5 }, '1', headers)

    for (const headers of [...tokens.map(bearer), {}]) for (const to of [ann, ben]) await give(to, headers)
    await give(ann)
    await give(ben, bearer(tokens[0] ?? ''))

    for (const person of [ann, ben]) assert.equal((await person.post('/api/get_credit_summary')).body.balance, 15)
  })

  it('belongs to one personal token and not to another', async ({ ann }) => {
    const send = (token: string) => keyed(ann, FEEDBACK, HELLO, '1', bearer(token))
    const tokens = [await personalToken(ann), await personalToken(ann)]

    const sent = [...(await Promise.all(tokens.map(send))), await send(tokens[0] ?? '')]

    const ids = sent.map(({ body }) => body.id)
    assert.deepEqual([new Set(ids).size, ids[2]], [2, ids[0]])
  })

  it('is free again after a day, even before it is swept', async ({ service, ann }) => {
    const first = await keyed(ann, FEEDBACK, HELLO)
    service.clock.advance({ hours: 23, minutes: 59 })
    const early = await keyed(ann, FEEDBACK, { ...HELLO, content: 'Other' })
    service.clock.advance({ minutes: 2 })
    const next = await keyed(ann, FEEDBACK, { ...HELLO, content: 'Other' })
    const again = await keyed(ann, FEEDBACK, { ...HELLO, content: 'Other' })

    assert.deepEqual([early.status, next.status, again.body], [422, 200, next.body])
    assert.notEqual(next.body.id, first.body.id)
  })

  it('of a deleted user is erased', async ({ service, administrator, ann }) => {
    await keyed(ann, FEEDBACK, HELLO)
    const kept = await keysOf(service, ann.id)

    await administrator.post('/api/admin/delete_user', { id: ann.id })
    await service.runJob('erasure')

    assert.deepEqual([kept, await keysOf(service, ann.id)], [1, 0])
  })

  it('that is empty or too long is 400, and OpenAPI shows which routes take one', async ({ ann }) => {
    for (const key of ['', 'x'.repeat(256)])
      assert.deepEqual(refusal(await keyed(ann, FEEDBACK, HELLO, key)), [400, 'INVALID_REQUEST'])

    const { body } = await ann.get('/api/openapi.json')
    const taking = Object.keys(body.paths).filter((path) =>
      body.paths[path].post?.parameters?.some(({ name }: { name: string }) => name === 'Idempotency-Key'),
    )
    assert.deepEqual(taking.toSorted(), [...WRITES.map(({ path }) => path), BIND, GIVE, REPLY].toSorted())
  })
})

describe('keys that have expired', () => {
  it.override('options', { open: (config) => openPatiently(asIfLarge(config)) })

  it('can be swept at the moment their user is deleted, and both succeed', async ({ service, ann }) => {
    const { meta } = service.platform
    const key = (id: string, created_at: number) =>
      meta.insertInto('idempotency_keys').values({ id, user_id: ann.id, fingerprint: '', answer: '', created_at })
    await meta.batch([key('b', 1), key('a', 2)])

    const held = { sql: `select from idempotency_keys where id = 'a' for update` }
    const [deleted] = await whileHeld<unknown>(service, held, [
      async () => (await ann.post('/api/auth/delete-user', { password: ann.password })).status,
      () => service.runJob('idempotency-sweep'),
    ])

    assert.equal(deleted, 200)
    assert.deepEqual(await meta.primary.selectFrom('idempotency_keys').select('id').execute(), [])
  })
})

function assertSame(answers: readonly Answer<unknown>[]): void {
  assert.deepEqual(statuses(answers), Array(answers.length).fill(200))
  for (const { body } of answers) assert.deepEqual(body, answers[0]?.body)
}

function keyed(person: Person, path: string, body: unknown, key = 'a key', headers = {}) {
  return person.post(path, body, { 'idempotency-key': key, ...headers })
}

/** The token of a service that acts for the administrator. */
async function tokenOf(administrator: Person, name: string): Promise<string> {
  const scopes = ['admin:beta:write', 'admin:notifications:write', 'admin:credits:write']
  const application = await register(administrator, { name, kind: 'service', scopes })
  const { body } = await tokenRequest(administrator, application, {
    grant_type: 'client_credentials',
    scope: scopes.join(' '),
  })
  return body.access_token
}

async function personalToken(person: Person): Promise<string> {
  const wanted = { name: 'Script', scopes: ['operations:feedback:write'], expires_in_days: 1 }
  const { body } = await person.post('/api/create_personal_token', wanted)
  return body.token
}

async function total(administrator: Person, list: string): Promise<number> {
  return (await administrator.post(`/api/admin/list_${list}`)).body.total
}

async function keysOf({ platform }: Service, userId: string): Promise<number> {
  const found = await Promise.all(
    [...platform.shards.values()].map((shard) =>
      shard.selectFrom('idempotency_keys').select('id').where('user_id', '=', userId).execute(),
    ),
  )
  return found.flat().length
}
