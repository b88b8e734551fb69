import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { refusal, statuses } from '../../service/answers.ts'
import { basic, bearer, type Registered, register, tokenRequest, tokensFor } from '../../service/applications.ts'
import { type Person, stranger } from '../../service/people.ts'
import { it as base, introspect } from '../../service/shop.ts'

const SCOPE = 'product:reports:read'
const CLIENT_CREDENTIALS = { grant_type: 'client_credentials' }

interface Fixtures {
  readonly administrator: Person
  readonly allow: (to: Registered, scopes: readonly string[]) => Promise<unknown>
}

/** Has a declared product scope. */
const it = base.extend<Fixtures>({
  administrator: async ({ administrator }, use) => {
    const declared = { scope: SCOPE, description: 'Read your reports' }
    await administrator.post('/api/admin/declare_product_scope', declared)
    await use(administrator)
  },
  allow: async ({ administrator }, use) =>
    use(({ id }, scopes) => administrator.post('/api/admin/update_application', { id, scopes })),
})

describe('109. a scope that an application has lost', () => {
  it('opens nothing with the tokens that its users have given it, in any process, and all with it again', async ({
    service,
    administrator,
    ann,
    allow,
  }) => {
    const scopes = ['openid', 'email', 'account:credits:read']
    const shop = await register(administrator, { scopes })
    const { access_token } = await tokensFor(ann, shop, { scope: scopes.join(' ') })
    const authorization = bearer(access_token)
    const there = stranger({ ...service, request: service.requestElsewhere })
    const asked = async (person: Person) => [
      (await person.post('/api/get_credit_summary', {}, authorization)).status,
      'email' in (await person.get('/api/oauth/userinfo', authorization)).body,
      (await introspect(person, shop, access_token)).body.scope,
    ]

    const before = await asked(there)
    await allow(shop, ['openid'])
    const after = [await asked(ann), await asked(there)]
    await allow(shop, scopes)
    const again = await asked(there)

    assert.deepEqual(before, [200, true, scopes.join(' ')])
    assert.deepEqual(after, Array(2).fill([403, false, 'openid']))
    assert.deepEqual(again, before)
  })

  it('opens nothing with the tokens of a service', async ({ administrator, ann, allow }) => {
    const scopes = ['admin:users:read', 'admin:applications:write']
    const robot = await register(administrator, { kind: 'service', scopes })
    const { body } = await tokenRequest(ann, robot, CLIENT_CREDENTIALS)
    const authorization = bearer(body.access_token)
    const wanted = { name: 'Copy', kind: 'service', scopes: ['admin:users:read'] }

    const before = await ann.post('/api/admin/list_users', {}, authorization)
    await allow(robot, ['admin:applications:write'])
    const after = [
      await ann.post('/api/admin/list_users', {}, authorization),
      await ann.post('/api/admin/create_application', wanted, authorization),
    ]

    assert.equal(before.status, 200)
    assert.deepEqual(after.map(refusal), Array(2).fill([403, 'INSUFFICIENT_SCOPE']))
  })

  it('is confirmed to no product: not by /api/verify, introspection or a signed token', async ({
    administrator,
    ann,
    allow,
  }) => {
    const shop = await register(administrator, { scopes: ['openid', SCOPE] })
    const { access_token } = await tokensFor(ann, shop, { scope: `openid ${SCOPE}` })
    const signed = (await ann.get('/api/auth/token', bearer(access_token))).body.token
    const path = `/api/verify?scope=${SCOPE}`

    const before = [await ann.get(path, bearer(access_token)), await ann.get(path, bearer(signed))]
    await allow(shop, ['openid'])
    const after = [
      await ann.get(path, bearer(access_token)),
      await ann.get(path, bearer(signed)),
      await ann.get('/api/verify', bearer(access_token)),
      await ann.get('/api/auth/token', bearer(access_token)),
    ]
    const shown = await introspect(ann, shop, access_token)
    await allow(shop, ['email'])
    const empty = await introspect(ann, shop, access_token)

    assert.deepEqual(statuses(before), [200, 200])
    assert.deepEqual(after.map(refusal), Array(4).fill([403, 'INSUFFICIENT_SCOPE']))
    assert.deepEqual([shown.body.active, shown.body.scope, empty.body.active], [true, 'openid', false])
  })
})

describe('109. verifiers that remember', () => {
  it.for([
    [
      'hear that the scopes of an application were changed',
      true,
      (administrator: Person, { id }: Registered) =>
        administrator.post('/api/admin/update_application', { id, scopes: ['openid'] }),
    ],
    [
      'hear that a product scope was deleted',
      true,
      (administrator: Person) => administrator.post('/api/admin/delete_product_scope', { scope: SCOPE }),
    ],
    [
      'go on when only the name of an application is changed',
      undefined,
      (administrator: Person, { id }: Registered) =>
        administrator.post('/api/admin/update_application', { id, name: 'Store' }),
    ],
  ] as const)('%s', async ([, expected, act], { service, administrator }) => {
    const shop = await register(administrator, { scopes: ['openid', SCOPE] })
    const ask = async (after?: string) => {
      await service.runJob('events')
      return (await administrator.post('/api/oauth/revocations', { after }, basic(shop))).body
    }
    const { next } = await ask()

    await act(administrator, shop)
    const page = await ask(next)

    assert.deepEqual([page.everyone, page.items], [expected, []])
  })
})

describe('109. rotate_application_secret', () => {
  it('ends the tokens of a service at once, in every process, and says so to verifiers', async ({
    service,
    administrator,
    ann,
  }) => {
    const robot = await register(administrator, { kind: 'service', scopes: ['admin:users:read'] })
    const { body } = await tokenRequest(ann, robot, CLIENT_CREDENTIALS)
    const there = stranger({ ...service, request: service.requestElsewhere })
    const list = (person: Person) => person.post('/api/admin/list_users', {}, bearer(body.access_token))
    await service.runJob('events')
    const before = await list(there)

    const rotated = await administrator.post('/api/admin/rotate_application_secret', { id: robot.id })
    const after = [await list(ann), await list(there)]
    const renewed = { ...robot, ...rotated.body }
    const next = await tokenRequest(ann, renewed, CLIENT_CREDENTIALS)
    await service.runJob('events')
    const revoked = await administrator.post('/api/admin/list_events', { types: ['grant.revoked'] })

    assert.deepEqual(statuses([before, ...after, next]), [200, 401, 401, 200])
    assert.deepEqual(
      revoked.body.items.map(({ data }: { data: { client_id: string } }) => data.client_id),
      [robot.client_id],
    )
  })

  it('keeps them with keep_tokens: true, and takes nothing else for it', async ({ administrator, ann }) => {
    const robot = await register(administrator, { kind: 'service', scopes: ['admin:users:read'] })
    const { body } = await tokenRequest(ann, robot, CLIENT_CREDENTIALS)
    const rotate = (keep_tokens: unknown) =>
      administrator.post('/api/admin/rotate_application_secret', { id: robot.id, keep_tokens })
    const list = () => ann.post('/api/admin/list_users', {}, bearer(body.access_token))

    const unclear = [await rotate('true'), await rotate(1), await rotate(null), await rotate('false')]
    const kept = await rotate(true)
    const still = await list()
    await rotate(false)

    assert.deepEqual(statuses(unclear), Array(4).fill(400))
    assert.deepEqual(statuses([kept, still, await list()]), [200, 200, 401])
  })

  it('leaves what users have given to a web application', async ({ administrator, ann }) => {
    const shop = await register(administrator)
    const { access_token } = await tokensFor(ann, shop)

    await administrator.post('/api/admin/rotate_application_secret', { id: shop.id })

    assert.equal((await ann.get('/api/oauth/userinfo', bearer(access_token))).status, 200)
  })
})
