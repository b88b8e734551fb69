import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
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

describe('an id_token', () => {
  it('is for the application alone, says when and in which session, and as much as the scopes allow', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator)
    const old = await register(administrator, { id_token_algorithm: 'RS256' })

    const whole = await tokensFor(ann, shop)
    const bare = await tokensFor(ann, old, { scope: 'openid', nonce: 'n-2' })
    const none = await tokensFor(ann, shop, { scope: 'email' })

    const { iat = 0, exp, updated_at: _, ...claims } = decodeJwt(whole.id_token ?? '')
    const { session } = (await ann.get('/api/auth/get-session')).body
    assert.deepEqual(claims, {
      iss: service.config.baseUrl,
      aud: shop.client_id,
      azp: shop.client_id,
      sub: ann.id,
      sid: session.id,
      nonce: 'a-nonce',
      auth_time: Math.floor(service.clock.now() / 1000),
      name: ann.email,
      email: ann.email,
      email_verified: false,
    })
    assert.equal(exp, iat + 3600)
    assert.equal(decodeProtectedHeader(whole.id_token ?? '').alg, 'EdDSA')
    assert.equal(decodeProtectedHeader(bare.id_token ?? '').alg, 'RS256')
    assert.deepEqual(
      [decodeJwt(bare.id_token ?? '').nonce, decodeJwt(bare.id_token ?? '').email],
      ['n-2', undefined],
    )
    assert.deepEqual([none.id_token, none.refresh_token], [undefined, undefined])
  })

  it('comes again with a refresh, which only offline_access gives; a refresh at several machines is no theft', async () => {
    await using service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } })
    const { administrator, ann } = await people(service)
    const scopes = ['openid', 'email', 'offline_access']
    const shop = await register(administrator, { scopes })
    const tokens = await tokensFor(ann, shop, { scope: scopes.join(' ') })
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }

    const first = await tokenRequest(ann, shop, form)
    const narrower = await tokenRequest(ann, shop, {
      ...form,
      refresh_token: first.body.refresh_token,
      scope: 'openid offline_access',
    })
    const wider = await tokenRequest(ann, shop, { ...form, scope: 'openid profile' })

    const { nonce, email, auth_time } = decodeJwt(first.body.id_token ?? '')
    assert.deepEqual(
      [nonce, email, auth_time],
      [undefined, ann.email, Math.floor(service.clock.now() / 1000)],
    )
    assert.equal(decodeJwt(narrower.body.id_token ?? '').email, undefined)
    assert.deepEqual([wider.status, wider.body.error], [400, 'invalid_scope'])
  })
})

describe('userinfo', () => {
  it('tells as much as the scopes allow, by GET and POST, and refuses in the shape of the RFC', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator)
    const whole = await tokensFor(ann, shop)
    const bare = await tokensFor(ann, shop, { scope: 'openid' })
    const other = await tokensFor(ann, shop, { scope: 'email' })
    const get = (token: string) => ann.get('/api/oauth/userinfo', bearer(token))

    const seen = await get(whole.access_token)
    const posted = await ann.send('/api/oauth/userinfo', {
      method: 'POST',
      headers: bearer(whole.access_token),
    })
    const little = await get(bare.access_token)
    const lacking = await get(other.access_token)
    const byCookie = await ann.get('/api/oauth/userinfo')
    const bySession = await get(ann.token)
    const invented = await get('gha_invented')

    assert.deepEqual(seen.body, posted.body)
    assert.deepEqual([seen.body.sub, seen.body.email, seen.body.name], [ann.id, ann.email, ann.email])
    assert.deepEqual(little.body, { sub: ann.id })
    assert.deepEqual([lacking.status, lacking.body.error], [403, 'insufficient_scope'])
    for (const { status, body, headers } of [byCookie, bySession, invented]) {
      assert.deepEqual([status, body.error], [401, 'invalid_token'])
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/)
    }
  })
})

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

  it('asks nobody at one of our own applications, and always before the administrator’s scopes and a program on a device', async () => {
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

  it('with prompt=login or a short max_age wants a credential shown anew, and auth_time says when', async () => {
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

  it('gives nothing to a user who lacks a second factor that is required, and what was given rests', async () => {
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

describe('end-session', () => {
  const SIGNED_OUT = 'https://shop.example/bye'

  it('ends the very session of the id_token and leads to a registered address', async () => {
    await using service = await startService()
    const { administrator, ann, ben } = await people(service)
    const shop = await register(administrator, { post_logout_redirect_uris: [SIGNED_OUT] })
    const { id_token = '' } = await tokensFor(ann, shop)
    service.clock.advance({ days: 2 })
    const query = (changes: object = {}) =>
      new URLSearchParams({
        id_token_hint: id_token,
        post_logout_redirect_uri: SIGNED_OUT,
        state: 's',
        ...changes,
      })
    const isSignedIn = async (person: Person) => (await person.get('/api/auth/get-session')).body !== null

    const withoutHint = await ann.get(`/oauth/end-session?${query({ id_token_hint: '' })}`)
    const ofAnother = await ben.get(`/oauth/end-session?${query()}`)
    const forged = await ann.get(
      `/oauth/end-session?${query({ id_token_hint: `${id_token.slice(0, -4)}AAAA` })}`,
    )
    const stillIn = [await isSignedIn(ann), await isSignedIn(ben)]
    const ended = await ann.get(`/oauth/end-session?${query()}`)
    const elsewhere = await ann.get(
      `/oauth/end-session?${query({ post_logout_redirect_uri: 'https://evil.example/' })}`,
    )

    assert.ok([withoutHint, ofAnother, forged].every(({ status }) => status !== 302))
    assert.deepEqual(stillIn, [true, true])
    assert.deepEqual([ended.status, ended.headers.get('location')], [302, `${SIGNED_OUT}?state=s`])
    assert.equal(await isSignedIn(ann), false)
    assert.notEqual(elsewhere.status, 302)
  })
})

describe('calls from pages of other sites', () => {
  it('reach what looks at no cookie, and nothing else', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    const origin = { origin: 'https://shop.example' }

    const open = [
      await ann.get('/.well-known/openid-configuration', origin),
      await ann.get('/api/oauth/jwks', origin),
      await ann.get('/api/oauth/userinfo', origin),
    ]
    const closed = [
      await ann.get('/api/auth/get-session', origin),
      await ann.get('/api/auth/token', origin),
      await ann.get('/api/verify', origin),
    ]

    for (const { headers } of open) {
      assert.equal(headers.get('access-control-allow-origin'), '*')
      assert.equal(headers.get('access-control-allow-credentials'), null)
    }
    for (const { headers } of closed) assert.equal(headers.get('access-control-allow-origin'), null)
    assert.equal(CALLBACK.startsWith(origin.origin), true)
  })
})
