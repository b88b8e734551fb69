import assert from 'node:assert/strict'
import { describe, it } from '../../running/node-test.ts'
import {
  basic,
  bearer,
  CALLBACK,
  codeFor,
  queryFor,
  type Registered,
  register,
  tokenRequest,
  tokensFor,
} from '../../service/applications.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { newVerifier, postForm } from '../../service/grants.ts'
import { type Person, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

/** Straight to the address of the authorization endpoint, as a browser does. */
async function visit(
  person: Person,
  application: Registered,
  changes: Readonly<Record<string, string>> = {},
) {
  const query = new URLSearchParams(queryFor(application, newVerifier(), changes))
  const { status, headers } = await person.get(`/oauth/authorize?${query}`)
  const location = headers.get('location')
  return status === 302 && location ? new URL(location).searchParams : undefined
}

describe('the authorization endpoint', () => {
  it('asks once for the same scopes, again for more, and again after the user has taken it back', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator, { scopes: ['openid', 'email', 'profile', 'offline_access'] })

    const first = await codeFor(ann, shop, { scope: 'openid email' })
    const second = await codeFor(ann, shop, { scope: 'openid email' })
    const fewer = await visit(ann, shop, { scope: 'openid' })
    const more = await codeFor(ann, shop, { scope: 'openid email offline_access' })
    await tokensFor(ann, shop, { scope: 'openid email offline_access' })
    const { items } = (await ann.post('/api/list_grants')).body
    await ann.post('/api/revoke_grant', { id: items[0].id })
    const after = await codeFor(ann, shop, { scope: 'openid' })

    assert.deepEqual(
      [first, second, more, after].map(({ wasAsked }) => wasAsked),
      [true, false, true, true],
    )
    assert.ok(fewer?.get('code'))
    assert.deepEqual([fewer?.get('state'), fewer?.get('iss')], ['a-state', service.config.baseUrl])
    assert.equal(items[0].kind, 'application')
  })

  it('does not ask for the operator’s own applications, and always asks for administrator scopes and device programs', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const scopes = ['openid', 'admin:users:read']
    const own = await register(administrator, { skip_consent: true, scopes })
    const app = await register(administrator, { kind: 'native', redirect_uris: ['com.example.app:/cb'] })
    const redirect_uri = 'com.example.app:/cb'

    const quiet = await visit(ann, own, { scope: 'openid' })
    const powerful = await visit(administrator, own, { scope: scopes.join(' ') })
    const first = await codeFor(ann, app, { redirect_uri })
    const second = await codeFor(ann, app, { redirect_uri })

    assert.ok(quiet?.get('code'))
    assert.equal(powerful, undefined)
    assert.deepEqual([first.wasAsked, second.wasAsked], [true, true])
    assert.equal(second.redirect.protocol, 'com.example.app:')
  })

  it('with prompt=none never asks: it says what is missing', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator)
    const silent = { prompt: 'none' }

    const signedOut = await visit(stranger(service), shop, silent)
    const unasked = await visit(ann, shop, silent)
    await codeFor(ann, shop)
    const agreed = await visit(ann, shop, silent)
    service.clock.advance({ minutes: 10 })
    const tooOld = await visit(ann, shop, { ...silent, max_age: '300' })
    const mixed = await visit(ann, shop, { prompt: 'none login' })

    const errors = [signedOut, unasked, tooOld, mixed].map((answer) => answer?.get('error'))
    assert.deepEqual(errors, ['login_required', 'consent_required', 'login_required', 'invalid_request'])
    assert.ok(agreed?.get('code'))
  })

  it('with prompt=login or a short max_age asks for a credential again, and auth_time says when', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator, { skip_consent: true })
    const decide = async (changes: Readonly<Record<string, string>>) => {
      const query = queryFor(shop, newVerifier(), changes)
      const { request_id } = (await ann.post('/api/oauth/begin_authorization', query)).body
      const { body: shown } = await ann.post('/api/oauth/get_authorization', { request_id })
      const decision = { request_id, approve: true }
      const early = await ann.post('/api/oauth/decide_authorization', decision)
      await ann.post('/api/auth/confirm', { password: ann.password })
      const late = await ann.post('/api/oauth/decide_authorization', decision)
      return { shown, early, late }
    }

    service.clock.advance({ minutes: 10 })
    const byPrompt = await decide({ prompt: 'login' })
    service.clock.advance({ minutes: 10 })
    const byAge = await decide({ max_age: '300' })
    const fresh = await visit(ann, shop, { max_age: '300' })

    for (const { shown, early, late } of [byPrompt, byAge]) {
      assert.equal(shown.needs_confirmation, true)
      assert.deepEqual([early.status, early.body.code], [403, 'SESSION_NOT_FRESH'])
      assert.match(late.body.redirect_to, /code=/)
    }
    assert.ok(fresh?.get('code'))
  })

  it('refuses in the redirect what it does not do, and takes a form like a query', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator, { skip_consent: true })
    const cases = [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ response_type: 'code id_token' }, 'unsupported_response_type'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ scope: 'openid admin:users:read' }, 'invalid_scope'],
      [{ scope: '' }, 'invalid_scope'],
      [{ request: 'ey.ey.' }, 'request_not_supported'],
      [{ request_uri: 'https://evil.example/' }, 'request_uri_not_supported'],
      [{ response_mode: 'fragment' }, 'invalid_request'],
      [{ max_age: '-1' }, 'invalid_request'],
      [{ prompt: 'dance' }, 'invalid_request'],
    ] as const

    for (const [changes, error] of cases) {
      assert.equal((await visit(ann, shop, changes))?.get('error'), error, JSON.stringify(changes))
    }
    const posted = await ann.send('/oauth/authorize', {
      method: 'POST',
      body: new URLSearchParams(queryFor(shop, newVerifier())),
    })
    assert.equal(posted.status, 302)
    assert.match(posted.headers.get('location') ?? '', /^\/oauth\/authorize\?client_id=/)
  })

  it('gives nothing to a user whom the gate keeps out', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator, { skip_consent: true })
    await administrator.saveSettings('authentication', { beta_gate_enabled: true })

    const silent = await visit(ann, shop, { prompt: 'none' })
    const query = queryFor(shop, newVerifier())
    const { request_id } = (await ann.post('/api/oauth/begin_authorization', query)).body
    const decided = await ann.post('/api/oauth/decide_authorization', { request_id, approve: true })

    assert.equal(silent?.get('error'), 'interaction_required')
    assert.deepEqual([decided.status, decided.body.code], [403, 'BETA_CODE_REQUIRED'])
  })

  it('gives no identity token for what a user approved or got before the gate was closed', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const scope = 'openid offline_access'
    const shop = await register(administrator, { scopes: scope.split(' ') })
    const { refresh_token } = await tokensFor(ann, shop, { scope })
    const { code, verifier } = await codeFor(ann, shop, { scope })
    await administrator.saveSettings('authentication', { beta_gate_enabled: true })
    const refresh = (token: string) =>
      tokenRequest(ann, shop, { grant_type: 'refresh_token', refresh_token: token })

    const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code, code_verifier: verifier }
    const redeemed = await tokenRequest(ann, shop, form)
    const refreshed = await refresh(refresh_token)
    const { body } = await administrator.post('/api/admin/generate_beta_codes', { count: 1 })
    await ann.post('/api/bind_beta_code', { beta_code: body.codes[0] })
    const invited = await refresh(refreshed.body.refresh_token)

    const given = [redeemed, refreshed, invited].map(({ status, body }) => [status, 'id_token' in body])
    assert.deepEqual(given, [
      [200, false],
      [200, false],
      [200, true],
    ])
  })

  it('gives nothing to a user who lacks a required second factor, and earlier tokens stop working', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator, { skip_consent: true })
    const { access_token } = await tokensFor(ann, shop)
    await changeSettings(service, 'authentication', { second_factor: 'required' })

    const silent = await visit(ann, shop, { prompt: 'none' })
    const begun = await ann.post('/api/oauth/begin_authorization', queryFor(shop, newVerifier()))
    const info = await ann.get('/api/oauth/userinfo', bearer(access_token))
    const asked = await postForm(ann, '/api/oauth/introspect', { token: access_token }, basic(shop))

    assert.equal(silent?.get('error'), 'interaction_required')
    assert.deepEqual([begun.status, begun.body.code], [403, 'SECOND_FACTOR_REQUIRED'])
    assert.deepEqual([info.status, info.body.error], [403, 'insufficient_scope'])
    assert.deepEqual(asked.body, { active: false })
  })
})
