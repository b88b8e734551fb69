import assert from 'node:assert/strict'
import { describe, it } from '../../running/node-test.ts'
import {
  basic,
  bearer,
  CALLBACK,
  codeFor,
  queryFor,
  register,
  tokenRequest,
  tokensFor,
} from '../../service/applications.ts'
import { newVerifier, poll, postForm, startDevice } from '../../service/grants.ts'
import { people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

describe('88. an application', () => {
  it('checklist 88: is redirected to exactly its own addresses, and never elsewhere', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator)
    const other = await register(administrator, { redirect_uris: ['https://other.example/cb'] })
    const app = await register(administrator, {
      kind: 'native',
      redirect_uris: ['http://127.0.0.1/callback'],
    })
    const wrong = [
      `${CALLBACK}/`,
      `${CALLBACK}?a=b`,
      CALLBACK.toUpperCase(),
      'https://shop.example/callback/../callback',
      'https://shop.example:443/callback',
      'https://other.example/cb',
      'http://127.0.0.1:4000/callback',
    ]

    for (const redirect_uri of wrong) {
      const query = queryFor(shop, newVerifier(), { redirect_uri })
      const { status, body } = await ann.post('/api/oauth/begin_authorization', query)
      assert.deepEqual([status, body.code], [400, 'INVALID_REQUEST'], redirect_uri)
      const quiet = await ann.get(`/oauth/authorize?${new URLSearchParams(query)}`)
      assert.notEqual(quiet.status, 302, redirect_uri)
    }
    const loopback = await codeFor(ann, app, { redirect_uri: 'http://127.0.0.1:51004/callback' })
    assert.ok(loopback.code)
    const foreign = await codeFor(ann, other, { redirect_uri: 'https://other.example/cb' })
    assert.equal(foreign.redirect.origin, 'https://other.example')
  })

  it('checklist 88: needs PKCE whatever its kind, and proves itself with its secret if it has one', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator)
    const { code_challenge: _, code_challenge_method: __, ...bare } = queryFor(shop, newVerifier())
    const { code, verifier } = await codeFor(ann, shop)
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier }
    const at = (fields: object, headers = {}) =>
      postForm(ann, '/api/oauth/token', { ...form, ...fields }, headers)

    const withoutPkce = await ann.post('/api/oauth/begin_authorization', bare)
    const attempts = [
      await at({ client_id: shop.client_id }),
      await at({ client_id: shop.client_id, client_secret: 'gas_guessed' }),
      await at({}, { authorization: `Basic ${btoa(`${shop.client_id}:gas_guessed`)}` }),
      await at({}, { authorization: 'Bearer anything' }),
      await at({}, { authorization: 'Basic %%%' }),
      await at({ client_id: 'cli-client' }),
      await at({ client_id: 'cli-client', client_secret: shop.client_secret }),
    ]
    const twice = await at({ client_secret: shop.client_secret }, basic(shop))
    const wrongVerifier = await at({ code_verifier: newVerifier() }, basic(shop))
    const right = await at({ client_id: shop.client_id, client_secret: shop.client_secret })

    assert.match(withoutPkce.body.redirect_to, /error=invalid_request/)
    const refusals = attempts.map(({ status, body }) => [status, body.error])
    assert.deepEqual(refusals, [
      ...Array.from({ length: 5 }, () => [401, 'invalid_client']),
      [400, 'invalid_grant'],
      [401, 'invalid_client'],
    ])
    assert.deepEqual([twice.status, twice.body.error], [400, 'invalid_request'])
    assert.deepEqual([wrongVerifier.status, wrongVerifier.body.error], [400, 'invalid_grant'])
    assert.equal(right.status, 200)
    assert.equal(right.headers.get('www-authenticate'), null)
  })

  it('checklist 88: gets nothing for the codes and tokens of another, which stay as they are', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const scopes = ['openid', 'offline_access']
    const shop = await register(administrator, { scopes })
    const evil = await register(administrator, { name: 'Evil', scopes })
    const scope = scopes.join(' ')
    const { code, verifier } = await codeFor(ann, shop, { scope })
    const grant = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier }

    const stolenCode = await tokenRequest(ann, evil, grant)
    const tokens = await tokenRequest(ann, shop, grant)
    const again = await tokenRequest(ann, evil, grant)
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.body.refresh_token }
    const stolenRefresh = await tokenRequest(ann, evil, refresh)
    const byTool = await postForm(ann, '/api/oauth/token', { ...refresh, client_id: 'cli-client' })
    const { access_token } = tokens.body
    const revoked = await postForm(ann, '/api/oauth/revoke', { token: access_token }, basic(evil))
    const asTool = await postForm(ann, '/api/oauth/revoke', { token: access_token })
    const seen = await postForm(ann, '/api/oauth/introspect', { token: access_token }, basic(evil))
    const own = await postForm(ann, '/api/oauth/introspect', { token: access_token }, basic(shop))

    for (const { status, body } of [stolenCode, again, stolenRefresh, byTool]) {
      assert.deepEqual([status, body.error], [400, 'invalid_grant'])
    }
    assert.deepEqual([revoked.status, asTool.status], [200, 200])
    assert.deepEqual([seen.status, seen.body], [200, { active: false }])
    assert.deepEqual([own.body.active, own.body.sub, own.body.scope], [true, ann.id, scope])
    assert.equal((await tokenRequest(ann, shop, refresh)).status, 200)
  })

  it('checklist 88: cannot pose as its user at a product: neither verify nor a signed token is for it', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const description = 'Read your reports'
    await administrator.post('/api/admin/declare_product_scope', {
      scope: 'product:reports:read',
      description,
    })
    const scopes = ['openid', 'email', 'product:reports:read']
    const shop = await register(administrator, { scopes })
    const plain = bearer((await tokensFor(ann, shop, { scope: 'openid' })).access_token)
    const withScope = bearer(
      (await tokensFor(ann, shop, { scope: 'openid product:reports:read' })).access_token,
    )

    const refused = [
      await ann.get('/api/verify', plain),
      await ann.get('/api/verify?scope=product:reports:read', plain),
      await ann.get('/api/auth/token', plain),
    ]
    const unknown = await ann.get('/api/verify?scope=product:secrets:read', withScope)
    const allowed = await ann.get('/api/verify?scope=product:reports:read', withScope)
    const session = await ann.get('/api/auth/get-session', plain)

    for (const { status, body } of refused) assert.deepEqual([status, body.code], [403, 'INSUFFICIENT_SCOPE'])
    assert.equal(unknown.status, 400)
    assert.deepEqual([allowed.status, allowed.headers.get('x-user-id')], [200, ann.id])
    assert.equal((await ann.get('/api/auth/token', withScope)).status, 200)
    assert.equal(session.body, null)
  })

  it('of each kind has its own grants, and every refusal has the shape of the RFC', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const browser = await register(administrator, { kind: 'browser' })
    const robot = await register(administrator, { kind: 'service', scopes: ['admin:beta:read'] })
    const device = 'urn:ietf:params:oauth:grant-type:device_code'
    const cases = [
      [browser, 'client_credentials', 'unauthorized_client'],
      [browser, device, 'unauthorized_client'],
      [browser, 'password', 'unsupported_grant_type'],
      [robot, 'authorization_code', 'unauthorized_client'],
      [robot, 'refresh_token', 'unauthorized_client'],
    ] as const

    for (const [application, grant_type, error] of cases) {
      const { status, body } = await tokenRequest(ann, application, { grant_type })
      assert.deepEqual([status, body.error], [400, error])
      assert.equal(typeof body.error_description, 'string')
    }
    const begun = await ann.post('/api/oauth/begin_authorization', queryFor(robot, newVerifier()))
    assert.equal(begun.status, 400)
    const anonymous = await postForm(ann, '/api/oauth/introspect', { token: 'gha_x', client_id: browser.id })
    assert.deepEqual([anonymous.status, anonymous.body.error], [401, 'invalid_client'])
  })

  it('that is deleted while codes are redeemed leaves no usable token', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    for (let round = 0; round < 5; round++) {
      const shop = await register(administrator, { skip_consent: true })
      const codes = await Promise.all(Array.from({ length: 5 }, () => codeFor(ann, shop)))
      const redeem = codes.map(({ code, verifier }) =>
        tokenRequest(ann, shop, {
          grant_type: 'authorization_code',
          code,
          redirect_uri: CALLBACK,
          code_verifier: verifier,
        }),
      )

      const [deleted, ...answers] = await Promise.all([
        administrator.post('/api/admin/delete_application', { id: shop.id }),
        ...redeem,
      ])

      assert.equal(deleted.status, 200)
      for (const { status, body } of answers) {
        assert.ok(status < 500, String(status))
        if (status !== 200) continue
        assert.equal((await ann.get('/api/oauth/userinfo', bearer(body.access_token))).status, 401)
      }
    }
  })
})

describe('a service', () => {
  it('gets tokens for itself, with scopes of the administrator’s choice, and is nobody else', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const scopes = ['admin:beta:read', 'product:reports:read']
    const declared = { scope: 'product:reports:read', description: 'Read your reports' }
    await administrator.post('/api/admin/declare_product_scope', declared)
    const robot = await register(administrator, { kind: 'service', scopes })
    const ask = (scope?: string) =>
      tokenRequest(ann, robot, { grant_type: 'client_credentials', ...(scope && { scope }) })

    const all = await ask()
    const narrow = await ask('product:reports:read')
    const beyond = await ask('admin:users:write')
    const authorization = bearer(all.body.access_token)
    const listed = await ann.post('/api/admin/list_beta_codes', {}, authorization)
    const lacking = await ann.post('/api/admin/list_beta_codes', {}, bearer(narrow.body.access_token))
    const verified = await ann.get('/api/verify', authorization)
    const session = await ann.get('/api/auth/get-session', authorization)
    const { body: grants } = await administrator.post('/api/list_grants')
    await administrator.post('/api/revoke_grant', { id: grants.items[0].id })
    const dead = await ann.post('/api/admin/list_beta_codes', {}, authorization)
    const renewed = await ask()

    assert.deepEqual([all.body.scope, narrow.body.scope], [scopes.join(' '), 'product:reports:read'])
    assert.equal(all.body.refresh_token, undefined)
    assert.deepEqual([beyond.status, beyond.body.error], [400, 'invalid_scope'])
    assert.deepEqual([listed.status, lacking.status, dead.status, renewed.status], [200, 403, 401, 200])
    assert.deepEqual(
      ['x-user-id', 'x-user-email'].map((name) => verified.headers.get(name)),
      [robot.client_id, ''],
    )
    assert.equal(session.body, null)
    assert.deepEqual([grants.total, grants.items[0].kind], [1, 'service'])
  })

  it('gets no token without an administrator, whose name its tokens are in', async () => {
    await using service = await startService()
    const { meta } = service.platform
    const { administrator, ann } = await people(service)
    const robot = await register(administrator, { kind: 'service', scopes: ['admin:beta:read'] })
    const ask = () => tokenRequest(ann, robot, { grant_type: 'client_credentials' })
    const nobody = meta.updateTable('user').set({ role: 'user' }).where('role', '=', 'administrator')
    const [{ id = '' } = {}] = await nobody.returning('id').execute()

    const refused = await ask()
    const grants = await meta.selectFrom('api_grant').select('id').execute()
    await meta.updateTable('user').set({ role: 'administrator' }).where('id', '=', id).execute()
    const given = await ask()

    assert.deepEqual([refused.status, refused.body.error], [400, 'temporarily_unavailable'])
    assert.deepEqual(grants, [])
    assert.equal(given.status, 200)
  })
})

describe('scopes of the product', () => {
  it('can be requested by the command-line client too, in the administrator’s words, once they are declared', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const scope = 'product:reports:read'
    const device = stranger(service)
    const early = await startDevice(device, scope)

    await administrator.post('/api/admin/declare_product_scope', { scope, description: 'Read your reports' })
    const started = await startDevice(device, scope)
    const begun = await ann.post('/api/oauth/begin_authorization', { user_code: started.body.user_code })
    const { request_id } = begun.body
    const shown = await ann.post('/api/oauth/get_authorization', { request_id })
    await ann.post('/api/oauth/decide_authorization', { request_id, approve: true })
    const { body: tokens } = await poll(device, started.body.device_code)
    const verified = await device.get(`/api/verify?scope=${scope}`, bearer(tokens.access_token))
    await administrator.post('/api/admin/delete_product_scope', { scope })
    const after = await device.get(`/api/verify?scope=${scope}`, bearer(tokens.access_token))

    assert.deepEqual((early.body as { error?: string }).error, 'invalid_scope')
    assert.deepEqual(shown.body.scopes, [{ scope, description: 'Read your reports' }])
    assert.equal(tokens.scope, `${scope} api_access offline_access`)
    assert.deepEqual([verified.status, after.status], [200, 400])
  })
})
