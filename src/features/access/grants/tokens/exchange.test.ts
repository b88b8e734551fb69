import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, oauthError, statuses } from '../../../../../test/service/answers.ts'
import {
  basic,
  bearer,
  exchangedBy,
  type Registered,
  register,
  tokenRequest,
  tokensFor,
} from '../../../../../test/service/applications.ts'
import { decide, needs, type Waiting } from '../../../../../test/service/approvals.ts'
import { postForm } from '../../../../../test/service/grants.ts'
import { it as withService } from '../../../../../test/service/it.ts'
import { type Answer, stranger } from '../../../../../test/service/people.ts'

const FEEDBACK = 'operations:feedback:write'
const READ = 'operations:notifications:read'
const SCOPES = ['openid', 'offline_access', FEEDBACK, READ]
const RESOURCE = 'https://mcp.shop.example/mcp'
const STOCK = 'https://stock.example/'
const IDEA = { type: 'idea', content: 'More doors' }
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

type Form = Readonly<Record<string, string>>
interface Given {
  /** The application that Ann signs in to. */
  readonly shop: Registered
  /** The product's server, which gets her tokens. */
  readonly server: Registered
  /** Another service, which that server calls. */
  readonly stock: Registered
  readonly tokens: { readonly access_token: string; readonly refresh_token: string }
  readonly exchange: (by: Registered, subject: string, form?: Form) => ReturnType<typeof exchangedBy>
  /** The token that the product's server gets in exchange for Ann's. */
  readonly given: (form?: Form) => Promise<string>
  /** A token for the next service, and the one that it gets in exchange. */
  readonly passedOn: () => Promise<{ readonly passed: string; readonly further: string }>
  readonly submit: (token: string) => Promise<Answer<Partial<Waiting>>>
  readonly introspect: (by: Registered, token: string) => Promise<Readonly<Record<string, unknown>>>
}

const it = withService.extend<Given>({
  shop: async ({ administrator }, use) => use(await register(administrator, { scopes: SCOPES })),
  server: async ({ administrator }, use) =>
    use(await register(administrator, { kind: 'service', name: 'Shop server', resource: RESOURCE })),
  stock: async ({ administrator }, use) =>
    use(await register(administrator, { kind: 'service', name: 'Stock', resource: STOCK })),
  tokens: async ({ ann, shop, server }, use) => {
    assert.ok(server)
    await use(await tokensFor(ann, shop, { scope: SCOPES.join(' '), resource: RESOURCE }))
  },
  exchange: async ({ ann }, use) => use((by, subject, form = {}) => exchangedBy(ann, by, subject, form)),
  given: async ({ server, tokens, exchange }, use) =>
    use(async (form) => (await exchange(server, tokens.access_token, form)).body.access_token),
  passedOn: async ({ stock, given, exchange }, use) =>
    use(async () => {
      const passed = await given({ resource: STOCK })
      return { passed, further: (await exchange(stock, passed)).body.access_token }
    }),
  submit: async ({ service }, use) =>
    use((token) => stranger(service).post('/api/submit_feedback', IDEA, bearer(token))),
  introspect: async ({ service }, use) =>
    use(async (by, token) => {
      const { body } = await postForm(stranger(service), '/api/oauth/introspect', { token }, basic(by))
      return body
    }),
})

describe('token exchange', () => {
  it('checklist 117: gives a service a narrower token for the user, which names the service', async ({
    service,
    ann,
    server,
    tokens,
    exchange,
    submit,
    introspect,
  }) => {
    const { status, headers, body } = await exchange(server, tokens.access_token, { scope: FEEDBACK })
    const before = await submit(tokens.access_token)
    const sent = await submit(body.access_token)
    const read = await ann.post('/api/list_notifications', {}, bearer(body.access_token))

    assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store'])
    assert.deepEqual(
      [body.scope, body.issued_token_type, body.expires_in, body.refresh_token],
      [FEEDBACK, ACCESS_TOKEN, 900, undefined],
    )
    assertRefused(before, 'UNAUTHORIZED')
    assert.equal(sent.status, 200)
    assertRefused(read, 'INSUFFICIENT_SCOPE')
    const { act, client_id, sub, aud, scope } = await introspect(server, body.access_token)
    assert.deepEqual(
      { act, client_id, sub, aud, scope },
      {
        act: { sub: server.client_id },
        client_id: server.client_id,
        sub: ann.id,
        aud: service.config.baseUrl,
        scope: FEEDBACK,
      },
    )
  })

  it('checklist 117: is for the resource or audience that it names, and for no other', async ({
    service,
    server,
    stock,
    shop,
    tokens,
    exchange,
    submit,
    introspect,
  }) => {
    const mcp = `${service.config.baseUrl}/mcp`
    const there = await exchange(server, tokens.access_token, { resource: STOCK })
    const named = await exchange(server, tokens.access_token, { audience: stock.client_id })
    const both = await exchange(server, tokens.access_token, { audience: stock.client_id, resource: STOCK })
    const atMcp = await exchange(server, tokens.access_token, { resource: mcp })
    const refused = [
      { resource: 'https://elsewhere.example/' },
      { audience: 'nobody' },
      { audience: shop.client_id },
      { audience: 'no id' },
      { audience: stock.client_id, resource: mcp },
    ]

    for (const { body } of [there, named, both]) {
      assert.equal((await introspect(stock, body.access_token)).aud, 'https://stock.example')
      assertRefused(await submit(body.access_token), 'UNAUTHORIZED')
    }
    assertRefused(await submit(atMcp.body.access_token), 'UNAUTHORIZED')
    for (const form of refused)
      assert.deepEqual(
        oauthError(await exchange(server, tokens.access_token, form)),
        [400, 'invalid_target'],
        JSON.stringify(form),
      )
  })

  it('checklist 117: accepts only a user’s token that was issued for the address of the service', async ({
    administrator,
    ann,
    shop,
    server,
    stock,
    tokens,
    exchange,
  }) => {
    const here = await tokensFor(ann, shop, { scope: FEEDBACK })
    const script = { name: 'script', scopes: [FEEDBACK], expires_in_days: 30 }
    const personal = await ann.post('/api/create_personal_token', script)
    const worker = await register(administrator, {
      kind: 'service',
      name: 'Worker',
      scopes: ['admin:users:read'],
    })
    const own = await tokenRequest(ann, worker, { grant_type: 'client_credentials', resource: RESOURCE })
    const subjects = [
      here.access_token,
      personal.body.token,
      own.body.access_token,
      ann.token,
      tokens.refresh_token,
      'gha_unknown',
      '\u0000',
    ]

    for (const subject of subjects)
      assert.deepEqual(oauthError(await exchange(server, subject)), [400, 'invalid_request'], subject)
    assert.deepEqual(oauthError(await exchange(stock, tokens.access_token)), [400, 'invalid_request'])
    assert.deepEqual(oauthError(await exchange(worker, here.access_token)), [400, 'invalid_request'])
  })

  it('refuses what it does not support, with the errors of the RFCs', async ({
    ann,
    shop,
    server,
    tokens,
    exchange,
  }) => {
    const wrong: readonly (readonly [Form, string])[] = [
      [{ subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' }, 'invalid_request'],
      [{ subject_token_type: '' }, 'invalid_request'],
      [{ requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }, 'invalid_request'],
      [{ actor_token: tokens.access_token, actor_token_type: ACCESS_TOKEN }, 'invalid_request'],
      [{ scope: `${FEEDBACK} account:profile:read` }, 'invalid_scope'],
      [{ scope: 'offline_access' }, 'invalid_scope'],
    ]
    for (const [form, error] of wrong)
      assert.deepEqual(
        oauthError(await exchange(server, tokens.access_token, form)),
        [400, error],
        JSON.stringify(form),
      )
    const without = await tokenRequest(ann, server, { grant_type: GRANT_TYPE })
    const byShop = await exchange(shop, tokens.access_token)
    const impostor = await exchange({ ...server, client_secret: 'wrong' }, tokens.access_token)
    const byTool = await exchange({ id: 'cli-client', client_id: 'cli-client' }, tokens.access_token)

    assert.deepEqual([without, byShop, impostor, byTool].map(oauthError), [
      [400, 'invalid_request'],
      [400, 'unauthorized_client'],
      [401, 'invalid_client'],
      [400, 'unsupported_grant_type'],
    ])
    const metadata = await ann.get('/.well-known/oauth-authorization-server')
    assert.ok(metadata.body.grant_types_supported.includes(GRANT_TYPE))
  })

  it('checklist 117: gives a token that lives no longer than the first, however that ends', async ({
    service,
    ann,
    shop,
    server,
    tokens,
    exchange,
    submit,
  }) => {
    service.clock.advance({ minutes: 14 })
    const late = await exchange(server, tokens.access_token)
    const refreshed = await tokenRequest(ann, shop, {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    })
    const within = await exchange(server, tokens.access_token)
    service.clock.advance({ seconds: 31 })
    const after = [await submit(late.body.access_token), await submit(within.body.access_token)]
    const again = await exchange(server, refreshed.body.access_token)
    const alive = await submit(again.body.access_token)
    await postForm(ann, '/api/oauth/revoke', { token: refreshed.body.refresh_token }, basic(shop))

    assert.ok(late.body.expires_in <= 60)
    assert.ok(within.body.expires_in <= 30)
    for (const answer of after) assertRefused(answer, 'UNAUTHORIZED')
    assert.equal(alive.status, 200)
    assertRefused(await submit(again.body.access_token), 'UNAUTHORIZED')
    const ended = await exchange(server, refreshed.body.access_token)
    assert.deepEqual(oauthError(ended), [400, 'invalid_request'])
  })

  it('ends with its service, with its secret, or alone; the user’s connection stays', async ({
    administrator,
    ann,
    server,
    stock,
    tokens,
    exchange,
    given,
    passedOn,
    submit,
    introspect,
  }) => {
    const { passed, further } = await passedOn()
    const independent = await given()
    await postForm(ann, '/api/oauth/revoke', { token: passed }, basic(stock))
    const kept = await submit(further)
    await postForm(ann, '/api/oauth/revoke', { token: passed }, basic(server))
    const [revoked, other] = [await submit(further), await submit(independent)]
    const rotate = async (changes: object) => {
      const { body } = await administrator.post('/api/admin/rotate_application_secret', {
        id: server.id,
        ...changes,
      })
      return { ...server, client_secret: body.client_secret }
    }
    await rotate({ keep_tokens: true })
    const afterKeeping = await submit(independent)
    const rotated = await rotate({})
    const afterRotating = await submit(independent)
    const last = await exchange(rotated, tokens.access_token)
    await administrator.post('/api/admin/delete_application', { id: server.id })
    const afterDeletion = await submit(last.body.access_token)

    assert.deepEqual(statuses([kept, other, afterKeeping]), [200, 200, 200])
    for (const answer of [revoked, afterRotating, afterDeletion]) assertRefused(answer, 'UNAUTHORIZED')
    assert.equal(last.status, 200)
    assert.equal((await introspect(stock, passed)).active, false)
    const { body } = await ann.post('/api/list_grants')
    assert.deepEqual([body.total, body.items[0].status], [1, 'active'])
  })

  it('names every service in turn, and can be passed on four times', async ({
    server,
    stock,
    given,
    exchange,
    introspect,
  }) => {
    let token = await given({ resource: STOCK })
    for (const [by, resource] of [
      [stock, RESOURCE],
      [server, STOCK],
      [stock, RESOURCE],
    ] as const)
      token = (await exchange(by, token, { resource })).body.access_token
    const fifth = await exchange(server, token)

    const [one, two] = [server.client_id, stock.client_id]
    assert.deepEqual((await introspect(stock, token)).act, undefined)
    assert.deepEqual((await introspect(server, token)).act, {
      sub: two,
      act: { sub: one, act: { sub: two, act: { sub: one } } },
    })
    assert.deepEqual(oauthError(fifth), [400, 'invalid_request'])
  })

  it('is shown to the user and in the audit log; rules of the connection apply to the service too', async ({
    service,
    administrator,
    ann,
    given,
    submit,
  }) => {
    const token = await given()
    await given()
    await submit(token)
    const [grant] = (await ann.post('/api/list_grants')).body.items
    const acts = await ann.post('/api/list_grant_acts', { id: grant.id })
    const changed = await ann.post('/api/update_grant', { id: grant.id, approval: 'writes', daily_limit: 4 })
    const waiting = await submit(token)
    const beyond = await submit(token)
    await ann.post('/api/update_grant', { id: grant.id, daily_limit: null })
    const log = await administrator.post('/api/admin/list_audit_entries', { action: ['grant.exchange'] })
    const signed = await ann.get('/api/auth/token', bearer(token))
    const verified = await ann.get(`/api/verify?scope=${READ}`, bearer(token))
    const sureFor = Number(verified.headers.get('x-auth-expires')) * 1_000 - service.clock.now()

    assert.deepEqual([grant.acting_services, changed.body.acting_services], [['Shop server'], ['Shop server']])
    assert.deepEqual(
      acts.body.items.map(({ route, service }: Record<string, unknown>) => [route, service]),
      ['/api/submit_feedback', '/api/oauth/token', '/api/oauth/token'].map((route) => [route, 'Shop server']),
    )
    assert.deepEqual([waiting.status, waiting.body.code], [202, 'APPROVAL_REQUIRED'])
    assertRefused(beyond, 'RATE_LIMITED')
    assert.equal(log.body.total, 1)
    assert.deepEqual([log.body.items[0].actor_id, log.body.items[0].details.service], [ann.id, 'Shop server'])
    assertRefused(signed, 'FORBIDDEN')
    assert.deepEqual([verified.status, sureFor], [200, 5_000])
  })
})

describe('116. a call that a service makes with an exchanged token, and that waits', () => {
  const ASKED = { name: 'Worker', kind: 'service', scopes: ['admin:users:read'] }

  it('checklist 116: is carried out with the scopes of that token, which can be fewer than the connection’s', async ({
    service,
    administrator,
    server,
    exchange,
  }) => {
    const scopes = ['admin:applications:write', 'admin:users:read']
    const console = await register(administrator, { name: 'Console', scopes: ['openid', ...scopes] })
    const signedIn = { scope: ['openid', ...scopes].join(' '), resource: RESOURCE }
    const { access_token } = await tokensFor(administrator, console, signedIn)
    const { body: narrow } = await exchange(server, access_token, { scope: 'admin:applications:write' })
    await needs(administrator, 'writes')
    const bare = stranger(service)
    const held = await bare.post('/api/admin/create_application', ASKED, bearer(narrow.access_token))
    const { result } = (await decide(administrator, held)).body

    assert.deepEqual([result.status, result.body.code], [403, 'INSUFFICIENT_SCOPE'])
  })

  it('checklist 116: names the service, which alone learns the result', async ({
    administrator,
    ann,
    given,
    passedOn,
    submit,
  }) => {
    const own = await given()
    const { further } = await passedOn()
    await needs(ann, 'writes')
    const held = await submit(own)
    const { body: listed } = await ann.post('/api/list_approvals')
    const { body: told } = await ann.post('/api/list_notifications')
    const id = held.body.approval_id
    await decide(ann, held)
    const result = await ann.post('/api/get_approval', { id }, bearer(await given()))
    const foreign = await ann.post('/api/get_approval', { id }, bearer(further))
    const { body: acts } = await ann.post('/api/list_grant_acts', { id: listed.items[0].grant_id })
    const { body: feedback } = await administrator.post('/api/admin/list_feedbacks')

    assert.deepEqual([listed.items[0].client_name, listed.items[0].service], ['Shop', 'Shop server'])
    assert.equal(told.items[0].title, 'Shop server, through Shop, wants to send feedback')
    assert.deepEqual([result.body.status, feedback.total], ['approved', 1])
    assertRefused(foreign, 'NOT_FOUND')
    assert.deepEqual(
      acts.items
        .filter(({ route }: Record<string, unknown>) => route === '/api/submit_feedback')
        .map(({ status, service }: Record<string, unknown>) => [status, service]),
      [
        [200, 'Shop server'],
        [202, 'Shop server'],
      ],
    )
  })

  it('checklist 116: ends with that token, and no longer waits', async ({
    service,
    administrator,
    ann,
    server,
    tokens,
    given,
    submit,
  }) => {
    assert.ok(tokens)
    service.clock.advance({ minutes: 13 })
    const [one, two] = [await given(), await given()]
    await needs(ann, 'writes')
    const [revoked, late] = [await submit(one), await submit(two)]
    await postForm(ann, '/api/oauth/revoke', { token: one }, basic(server))
    const { body: left } = await ann.post('/api/list_approvals')
    const afterRevoking = await decide(ann, revoked)
    service.clock.advance({ minutes: 2 })
    const afterExpiry = await decide(ann, late)

    assert.equal(late.body.expires_at, service.clock.now())
    assert.deepEqual(
      left.items.map(({ id }: { id: string }) => id),
      [late.body.approval_id],
    )
    assert.equal(afterRevoking.body.result.status, 401)
    assertRefused(afterExpiry, 'NOT_FOUND')
    assert.equal((await administrator.post('/api/admin/list_feedbacks')).body.total, 0)
  })

  it('checklist 116: is a call of its own under a key that its application or another service has used', async ({
    ann,
    service,
    shop,
    given,
    passedOn,
  }) => {
    const own = await tokensFor(ann, shop, { scope: SCOPES.join(' ') })
    const three = [own.access_token, await given(), (await passedOn()).further]
    const sent = () =>
      Promise.all(
        three.map((token, at) => {
          const headers = { ...bearer(token), 'idempotency-key': 'a key' }
          return stranger(service).post('/api/submit_feedback', { ...IDEA, content: `Of ${at}` }, headers)
        }),
      )
    const done = await sent()
    for (const { id } of (await ann.post('/api/list_grants')).body.items)
      await ann.post('/api/update_grant', { id, approval: 'writes' })
    const held = await sent()

    assert.deepEqual(statuses([...done, ...held]), [200, 200, 200, 202, 202, 202])
    assert.equal(new Set(held.map(({ body }) => body.approval_id)).size, 3)
  })
})
