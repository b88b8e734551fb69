import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe } from 'vitest'
import { bearer } from '../service/applications.ts'
import { newVerifier, postForm } from '../service/grants.ts'
import { stranger } from '../service/people.ts'
import { it } from './relying-party.ts'

function unsigned(claims: object): string {
  const [head, body] = [{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  return `${head}.${body}.`
}

// The modules of OpenID's certification plans for a basic provider, and for one that responds with a form, by their names.
for (const mode of ['query', 'form_post'] as const)
  describe(`${mode === 'query' ? 'basic' : 'form post basic'} certification plan`, () => {
    it.override('mode', mode)

    it('oidcc-server', async ({ party, ann }) => {
      const { tokens, claims } = await party.signIn(ann)
      const info = await ann.get('/api/oauth/userinfo', bearer(tokens.access_token))

      assert.equal(info.body.sub, claims.sub)
    })

    it('oidcc-response-type-missing', async ({ party, ann }) => {
      const { error } = await party.authorize(ann, { response_type: '' })

      assert.equal(error, 'invalid_request')
    })

    it('oidcc-userinfo-get', async ({ party, ann }) => {
      const { tokens } = await party.signIn(ann)
      const { status, headers, body } = await ann.get('/api/oauth/userinfo', bearer(tokens.access_token))

      assert.deepEqual([status, headers.get('content-type'), body.sub], [200, 'application/json', ann.id])
    })

    it('oidcc-userinfo-post-header', async ({ service, party, ann }) => {
      const { tokens } = await party.signIn(ann)
      const headers = bearer(tokens.access_token)
      const { status, body } = await postForm(stranger(service), '/api/oauth/userinfo', {}, headers)

      assert.deepEqual([status, body.sub], [200, ann.id])
    })

    it('oidcc-userinfo-post-body', async ({ service, party, ann }) => {
      const { access_token } = (await party.signIn(ann)).tokens
      const { status, body } = await postForm(stranger(service), '/api/oauth/userinfo', { access_token })

      assert.deepEqual([status, body.sub], [200, ann.id])
    })

    it('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async ({ party, ann }) => {
      const { claims } = await party.signIn(ann, { nonce: '' })

      assert.equal('nonce' in claims, false)
    })

    it.for([
      ['oidcc-scope-profile', 'openid profile', ['name', 'preferred_username', 'updated_at']],
      ['oidcc-scope-email', 'openid email', ['email', 'email_verified']],
      ['oidcc-scope-address', 'openid address', []],
      ['oidcc-scope-phone', 'openid phone', []],
      [
        'oidcc-scope-all',
        'openid profile email address phone',
        ['name', 'preferred_username', 'updated_at', 'email', 'email_verified'],
      ],
      ['oidcc-ensure-other-scope-order-succeeds', 'email openid', ['email', 'email_verified']],
    ] as const)('%s', async ([, scope, expected], { party, ann }) => {
      await ann.post('/api/auth/update-user', { name: 'Ann' })
      const { tokens } = await party.signIn(ann, { scope })
      const { body } = await ann.get('/api/oauth/userinfo', bearer(tokens.access_token))

      assert.deepEqual(Object.keys(body).toSorted(), [...expected, 'sub'].toSorted())
    })

    it.for([
      ['oidcc-display-page', { display: 'page' }],
      ['oidcc-display-popup', { display: 'popup' }],
      ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
      ['oidcc-login-hint', { login_hint: 'ann@example.com' }],
      ['oidcc-ui-locales', { ui_locales: 'se en' }],
      ['oidcc-claims-locales', { claims_locales: 'se' }],
      ['oidcc-ensure-request-with-acr-values-succeeds', { acr_values: '1 2' }],
      ['oidcc-claims-essential', { claims: '{"userinfo":{"name":{"essential":true}}}' }],
    ] as const)('%s', async ([, changes], { party, ann }) => {
      await ann.post('/api/auth/sign-out')

      assert.equal((await party.signIn(ann, changes)).claims.sub, ann.id)
    })

    it('oidcc-prompt-login', async ({ service, party, ann }) => {
      const first = await party.signIn(ann)
      service.clock.advance({ seconds: 2 })
      const second = await party.signIn(ann, { prompt: 'login' })

      assert.ok(Number(second.claims.auth_time) > Number(first.claims.auth_time))
    })

    it('oidcc-prompt-none-not-logged-in', async ({ service, party }) => {
      const { error } = await party.authorize(stranger(service), { prompt: 'none' })

      assert.equal(error, 'login_required')
    })

    it('oidcc-prompt-none-logged-in', async ({ service, party, ann }) => {
      const first = await party.signIn(ann)
      service.clock.advance({ seconds: 5 })
      const second = await party.signIn(ann, { prompt: 'none' })

      assert.deepEqual([second.claims.sub, second.claims.auth_time], [first.claims.sub, first.claims.auth_time])
    })

    it('oidcc-max-age-1', async ({ service, party, ann }) => {
      const first = await party.signIn(ann)
      service.clock.advance({ seconds: 2 })
      const second = await party.signIn(ann, { max_age: '1' })

      const now = Math.floor(service.clock.now() / 1000)
      assert.ok(Number(second.claims.auth_time) > Number(first.claims.auth_time))
      assert.ok(now - Number(second.claims.auth_time) <= 1)
    })

    it('oidcc-max-age-10000', async ({ service, party, ann }) => {
      const first = await party.signIn(ann)
      service.clock.advance({ seconds: 2 })
      const second = await party.signIn(ann, { max_age: '10000' })

      assert.equal(second.claims.auth_time, first.claims.auth_time)
    })

    it('oidcc-id-token-hint', async ({ party, ann }) => {
      const { tokens } = await party.signIn(ann)
      const { claims } = await party.signIn(ann, { prompt: 'none', id_token_hint: tokens.id_token })

      assert.equal(claims.sub, ann.id)
    })

    it.for([
      ['oidcc-codereuse', 0],
      ['oidcc-codereuse-30seconds', 30],
    ] as const)('%s', async ([, seconds], { service, party, ann }) => {
      const { response, tokens } = await party.signIn(ann)
      service.clock.advance({ seconds })
      const again = await party.redeem(ann, response)
      const info = await ann.get('/api/oauth/userinfo', bearer(tokens.access_token))

      assert.deepEqual([again.status, again.body.error, info.status], [400, 'invalid_grant', 401])
    })

    it('oidcc-ensure-registered-redirect-uri', async ({ party, ann }) => {
      const wrong = { redirect_uri: 'https://shop.example/callback/other' }
      const query = new URLSearchParams(party.request(wrong))
      const { headers } = await ann.get(`/oauth/authorize?${query}`)
      const shown = await ann.post('/api/oauth/begin_authorization', Object.fromEntries(query))

      assert.equal(headers.get('location'), null)
      assert.deepEqual([shown.status, shown.body.code], [400, 'INVALID_REQUEST'])
    })

    it('oidcc-ensure-post-request-succeeds', async ({ party, ann }) => {
      const response = await party.authorize(ann, {}, 'POST')

      assert.equal((await party.redeem(ann, response)).status, 200)
    })

    it('oidcc-server-client-secret-post', async ({ party, ann }) => {
      const response = await party.authorize(ann)

      assert.equal((await party.redeem(ann, response, {}, 'form')).status, 200)
    })

    it.for([
      'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
      'oidcc-ensure-request-object-with-redirect-uri',
    ])('%s', async (_, { party, ann }) => {
      // The suite's own form: the object alone says how to respond.
      const asked = { request: unsigned({ response_mode: mode }), response_mode: '' }
      const { error, state } = await party.authorize(ann, asked)

      assert.deepEqual([error, state], ['request_not_supported', 'a-state'])
    })

    it('oidcc-refresh-token', async ({ party, ann }) => {
      const { tokens, claims } = await party.signIn(ann, {
        scope: 'openid offline_access',
        prompt: 'consent',
      })
      const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
      const { status, body } = await party.token(ann, form)
      const renewed = await party.claimsOf(ann, body.id_token, undefined)

      assert.equal(status, 200)
      assert.notEqual(body.access_token, tokens.access_token)
      for (const name of ['iss', 'sub', 'aud', 'auth_time'] as const)
        assert.deepEqual(renewed[name], claims[name], name)
    })

    it('oidcc-ensure-request-with-valid-pkce-succeeds', async ({ party, ann }) => {
      const code_verifier = newVerifier()
      const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
      const response = await party.authorize(ann, { code_challenge, code_challenge_method: 'S256' })

      assert.equal((await party.redeem(ann, response, { code_verifier })).status, 200)
    })
  })
