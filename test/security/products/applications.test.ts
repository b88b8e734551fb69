import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { oauthError, refusal, statuses } from '../../service/answers.ts'
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
import { stranger } from '../../service/people.ts'
import { it as base, begin, decide, introspect, redeemFor, refreshFor, visit } from '../../service/shop.ts'
import { NEAR_ADDRESSES } from './near-addresses.ts'

const REPORTS = 'product:reports:read'
const DECLARED = { scope: REPORTS, description: 'Read your reports' }
const OFFLINE = ['openid', 'offline_access']
const INVALID_CLIENT = [401, 'invalid_client']
const INVALID_GRANT = [400, 'invalid_grant']

const it = base.extend<{ readonly reports: string }>({
  /** The administrator has declared it. */
  reports: async ({ administrator }, use) => {
    await administrator.post('/api/admin/declare_product_scope', DECLARED)
    await use(REPORTS)
  },
})

describe('88. an application', () => {
  it('checklist 88: is redirected to exactly its own addresses, and never elsewhere', async ({
    service,
    administrator,
    ann,
    shop,
  }) => {
    const quiet = await register(administrator, { skip_consent: true })
    const other = await register(administrator, { redirect_uris: ['https://other.example/cb'] })
    const app = await register(administrator, {
      kind: 'native',
      redirect_uris: ['http://127.0.0.1/callback'],
    })

    for (const redirect_uri of [...NEAR_ADDRESSES, 'https://other.example/cb']) {
      const begun = [await begin(ann, shop, { redirect_uri }), await begin(ann, quiet, { redirect_uri })]
      for (const { status, body } of begun)
        assert.deepEqual([status, body.code, body.redirect_to], [400, 'INVALID_REQUEST', undefined], redirect_uri)
      for (const person of [ann, stranger(service)]) {
        const { status, headers } = await visit(person, quiet, { redirect_uri })
        assert.deepEqual([status !== 302, headers.get('location')], [true, null], redirect_uri)
      }
    }
    assert.ok((await codeFor(ann, app, { redirect_uri: 'http://127.0.0.1:51004/callback' })).code)
    const own = await codeFor(ann, other, { redirect_uri: 'https://other.example/cb' })
    assert.equal(own.redirect.origin, 'https://other.example')
  })

  it('checklist 88: needs PKCE whatever its kind, and proves itself with its secret if it has one', async ({
    ann,
    shop,
  }) => {
    const { code_challenge: _, code_challenge_method: __, ...bare } = queryFor(shop, newVerifier())
    const { code, verifier } = await codeFor(ann, shop)
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier }
    const at = (fields: object, headers = {}) => postForm(ann, '/api/oauth/token', { ...form, ...fields }, headers)

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
    const refusals = [...Array(5).fill(INVALID_CLIENT), INVALID_GRANT, INVALID_CLIENT]
    assert.deepEqual(attempts.map(oauthError), refusals)
    assert.deepEqual(oauthError(twice), [400, 'invalid_request'])
    assert.deepEqual(oauthError(wrongVerifier), INVALID_GRANT)
    assert.deepEqual([right.status, right.headers.get('www-authenticate')], [200, null])
  })

  it('checklist 88: gets nothing for the codes and tokens of another, which stay as they are', async ({
    administrator,
    ann,
  }) => {
    const shop = await register(administrator, { scopes: OFFLINE })
    const evil = await register(administrator, { name: 'Evil', scopes: OFFLINE })
    const scope = OFFLINE.join(' ')
    const given = await codeFor(ann, shop, { scope })

    const stolenCode = await redeemFor(ann, evil, given)
    const { refresh_token, access_token } = (await redeemFor(ann, shop, given)).body
    const again = await redeemFor(ann, evil, given)
    const stolenRefresh = await refreshFor(ann, evil, refresh_token)
    const cli = { grant_type: 'refresh_token', refresh_token, client_id: 'cli-client' }
    const byTool = await postForm(ann, '/api/oauth/token', cli)
    const revoked = await postForm(ann, '/api/oauth/revoke', { token: access_token }, basic(evil))
    const asTool = await postForm(ann, '/api/oauth/revoke', { token: access_token })
    const seen = await introspect(ann, evil, access_token)
    const own = await introspect(ann, shop, access_token)

    for (const answer of [stolenCode, again, stolenRefresh, byTool]) assert.deepEqual(oauthError(answer), INVALID_GRANT)
    assert.deepEqual(statuses([revoked, asTool, seen]), [200, 200, 200])
    assert.deepEqual(seen.body, { active: false })
    assert.deepEqual([own.body.active, own.body.sub, own.body.scope], [true, ann.id, scope])
    assert.equal((await refreshFor(ann, shop, refresh_token)).status, 200)
  })

  it('checklist 88: cannot pose as its user at a product: neither verify nor a signed token is for it', async ({
    administrator,
    ann,
    reports,
  }) => {
    const shop = await register(administrator, { scopes: ['openid', 'email', reports] })
    const plain = bearer((await tokensFor(ann, shop, { scope: 'openid' })).access_token)
    const withScope = bearer((await tokensFor(ann, shop, { scope: `openid ${reports}` })).access_token)

    const refused = [
      await ann.get('/api/verify', plain),
      await ann.get('/api/verify?scope=product:reports:read', plain),
      await ann.get('/api/auth/token', plain),
    ]
    const unknown = await ann.get('/api/verify?scope=product:secrets:read', withScope)
    const allowed = await ann.get('/api/verify?scope=product:reports:read', withScope)
    const session = await ann.get('/api/auth/get-session', plain)

    for (const answer of refused) assert.deepEqual(refusal(answer), [403, 'INSUFFICIENT_SCOPE'])
    assert.equal(unknown.status, 400)
    assert.deepEqual([allowed.status, allowed.headers.get('x-user-id')], [200, ann.id])
    assert.equal((await ann.get('/api/auth/token', withScope)).status, 200)
    assert.equal(session.body, null)
  })

  it('of each kind has its own grants, and every refusal has the shape of the RFC', async ({ administrator, ann }) => {
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
    assert.equal((await begin(ann, robot)).status, 400)
    const anonymous = await postForm(ann, '/api/oauth/introspect', { token: 'gha_x', client_id: browser.id })
    assert.deepEqual(oauthError(anonymous), INVALID_CLIENT)
  })

  it('that is deleted while codes are redeemed leaves no usable token', async ({ administrator, ann }) => {
    for (let round = 0; round < 5; round++) {
      const shop = await register(administrator, { skip_consent: true })
      const codes = await Promise.all(Array.from({ length: 5 }, () => codeFor(ann, shop)))
      const [deleted, ...answers] = await Promise.all([
        administrator.post('/api/admin/delete_application', { id: shop.id }),
        ...codes.map((code) => redeemFor(ann, shop, code)),
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
  it('gets tokens for itself, with scopes of the administrator’s choice, and is nobody else', async ({
    administrator,
    ann,
    reports,
  }) => {
    const scopes = ['admin:beta:read', reports]
    const robot = await register(administrator, { kind: 'service', scopes })
    const ask = (scope?: string) =>
      tokenRequest(ann, robot, { grant_type: 'client_credentials', ...(scope && { scope }) })

    const all = await ask()
    const narrow = await ask(reports)
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

    assert.deepEqual([all.body.scope, narrow.body.scope], [scopes.join(' '), reports])
    assert.equal(all.body.refresh_token, undefined)
    assert.deepEqual(oauthError(beyond), [400, 'invalid_scope'])
    assert.deepEqual(statuses([listed, lacking, dead, renewed]), [200, 403, 401, 200])
    const names = ['x-user-id', 'x-user-email'].map((name) => verified.headers.get(name))
    assert.deepEqual(names, [robot.client_id, ''])
    assert.equal(session.body, null)
    assert.deepEqual([grants.total, grants.items[0].kind], [1, 'service'])
  })

  it('gets no token without an administrator, whose name its tokens are in', async ({
    service,
    administrator,
    ann,
  }) => {
    const { meta } = service.platform
    const robot = await register(administrator, { kind: 'service', scopes: ['admin:beta:read'] })
    const ask = () => tokenRequest(ann, robot, { grant_type: 'client_credentials' })
    const nobody = meta.updateTable('user').set({ role: 'user' }).where('role', '=', 'administrator')
    const [{ id = '' } = {}] = await nobody.returning('id').execute()

    const refused = await ask()
    const grants = await meta.selectFrom('api_grant').select('id').execute()
    await meta.updateTable('user').set({ role: 'administrator' }).where('id', '=', id).execute()
    const given = await ask()
    const [{ last_used_at }] = (await administrator.post('/api/list_grants')).body.items

    assert.deepEqual(oauthError(refused), [400, 'temporarily_unavailable'])
    assert.deepEqual(grants, [])
    assert.deepEqual([given.status, last_used_at], [200, service.clock.now()])
  })
})

describe('scopes of the product', () => {
  it('can be requested by the command-line client too, in the administrator’s words, once they are declared', async ({
    service,
    administrator,
    ann,
  }) => {
    const scope = REPORTS
    const device = stranger(service)
    const early = await startDevice(device, scope)

    await administrator.post('/api/admin/declare_product_scope', DECLARED)
    const started = await startDevice(device, scope)
    const begun = await ann.post('/api/oauth/begin_authorization', { user_code: started.body.user_code })
    const { request_id } = begun.body
    const shown = await ann.post('/api/oauth/get_authorization', { request_id })
    await decide(ann, request_id)
    const { body: tokens } = await poll(device, started.body.device_code)
    const verified = await device.get(`/api/verify?scope=${scope}`, bearer(tokens.access_token))
    await administrator.post('/api/admin/delete_product_scope', { scope })
    const after = await device.get(`/api/verify?scope=${scope}`, bearer(tokens.access_token))

    assert.deepEqual(oauthError(early), [400, 'invalid_scope'])
    assert.deepEqual(shown.body.scopes, [DECLARED])
    assert.equal(tokens.scope, `${scope} api_access offline_access`)
    assert.deepEqual(statuses([verified, after]), [200, 400])
  })
})
