import assert from 'node:assert/strict'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe } from 'vitest'
import { oauthError } from '../../service/answers.ts'
import { bearer, CALLBACK, register, tokensFor } from '../../service/applications.ts'
import { postForm } from '../../service/grants.ts'
import { it } from '../../service/it.ts'
import { type Person, stranger } from '../../service/people.ts'
import { refreshFor } from '../../service/shop.ts'

describe('an id_token', () => {
  it('is for the application alone, names the time and the session, and has only the claims that its scopes allow', async ({
    service,
    administrator,
    ann,
  }) => {
    const shop = await register(administrator, { id_token_algorithm: 'EdDSA' })
    const old = await register(administrator)

    const whole = await tokensFor(ann, shop)
    const bare = await tokensFor(ann, old, { scope: 'openid', nonce: 'n-2' })
    const none = await tokensFor(ann, shop, { scope: 'email' })

    const keys = createLocalJWKSet((await ann.get('/api/oauth/jwks')).body)
    const verified = await jwtVerify(whole.id_token ?? '', keys, {
      currentDate: new Date(service.clock.now()),
    })
    const { iat = 0, exp, updated_at: _, ...claims } = verified.payload
    const { session } = (await ann.get('/api/auth/get-session')).body
    assert.deepEqual(claims, {
      iss: service.config.baseUrl,
      aud: shop.client_id,
      azp: shop.client_id,
      sub: ann.id,
      sid: session.id,
      nonce: 'a-nonce',
      auth_time: Math.floor(service.clock.now() / 1000),
      preferred_username: 'ann',
      email: ann.email,
      email_verified: false,
    })
    assert.equal(exp, iat + 3600)
    assert.equal(verified.protectedHeader.alg, 'EdDSA')
    assert.equal(decodeProtectedHeader(bare.id_token ?? '').alg, 'RS256')
    const { nonce, email } = decodeJwt(bare.id_token ?? '')
    assert.deepEqual([nonce, email], ['n-2', undefined])
    assert.deepEqual([none.id_token, none.refresh_token], [undefined, undefined])
  })
})

describe('an id_token, behind a proxy', () => {
  it.override('options', { env: { TRUSTED_PROXIES: '127.0.0.1/32' } })

  it('is renewed by a refresh, which only offline_access gives; a refresh from several machines is not a theft', async ({
    service,
    administrator,
    ann,
  }) => {
    const scopes = ['openid', 'email', 'offline_access']
    const shop = await register(administrator, { scopes })
    const tokens = await tokensFor(ann, shop, { scope: scopes.join(' ') })

    const first = await refreshFor(ann, shop, tokens.refresh_token)
    const narrower = await refreshFor(ann, shop, first.body.refresh_token, { scope: 'openid offline_access' })
    const wider = await refreshFor(ann, shop, tokens.refresh_token, { scope: 'openid profile' })

    const { nonce, email, auth_time } = decodeJwt(first.body.id_token ?? '')
    const now = Math.floor(service.clock.now() / 1000)
    assert.deepEqual([nonce, email, auth_time], [undefined, ann.email, now])
    assert.equal(decodeJwt(narrower.body.id_token ?? '').email, undefined)
    assert.deepEqual(oauthError(wider), [400, 'invalid_scope'])
  })
})

describe('userinfo', () => {
  it('returns only the claims that the scopes allow, by GET and POST, and refuses in the shape of the RFC', async ({
    service,
    administrator,
    ann,
  }) => {
    const shop = await register(administrator)
    const whole = await tokensFor(ann, shop)
    const bare = await tokensFor(ann, shop, { scope: 'openid' })
    const other = await tokensFor(ann, shop, { scope: 'email' })
    const get = (token: string) => ann.get('/api/oauth/userinfo', bearer(token))

    const seen = await get(whole.access_token)
    const headers = bearer(whole.access_token)
    const post = (form: Readonly<Record<string, string>>, more = {}) =>
      postForm(stranger(service), '/api/oauth/userinfo', form, more)
    const posted = await post({}, headers)
    const inForm = await post({ access_token: whole.access_token })
    const twice = await post({ access_token: whole.access_token }, headers)
    const inventedInForm = await post({ access_token: 'gha_invented' })
    const little = await get(bare.access_token)
    const lacking = await get(other.access_token)
    const byCookie = await ann.get('/api/oauth/userinfo')
    const bySession = await get(ann.token)
    const invented = await get('gha_invented')

    assert.deepEqual([posted.body, inForm.body], [seen.body, seen.body])
    assert.deepEqual(oauthError(twice), [400, 'invalid_request'])
    assert.deepEqual(oauthError(inventedInForm), [401, 'invalid_token'])
    assert.deepEqual([seen.body.sub, seen.body.email], [ann.id, ann.email])
    assert.deepEqual(little.body, { sub: ann.id })
    assert.deepEqual(oauthError(lacking), [403, 'insufficient_scope'])
    for (const answer of [byCookie, bySession, invented]) assert.deepEqual(oauthError(answer), [401, 'invalid_token'])
    const challenges = [byCookie, bySession, invented].map(({ headers }) => headers.get('www-authenticate'))
    const refused = 'Bearer realm="gatehouse", error="invalid_token"'
    assert.deepEqual(challenges, ['Bearer realm="gatehouse"', refused, refused])
  })
})

describe('the scope profile', () => {
  it('gives preferred_username, from the address, and a name only if it is not the address', async ({
    administrator,
    ann,
  }) => {
    const shop = await register(administrator)
    const { body: metadata } = await ann.get('/.well-known/openid-configuration')
    const claimsOf = async (scope: string) => {
      const { access_token, id_token = '' } = await tokensFor(ann, shop, { scope })
      const { body } = await ann.get('/api/oauth/userinfo', bearer(access_token))
      const { name, preferred_username } = decodeJwt(id_token)
      assert.deepEqual([name, preferred_username], [body.name, body.preferred_username])
      return [name, preferred_username]
    }

    const without = await claimsOf('openid email')
    const unnamed = await claimsOf('openid profile')
    await ann.post('/api/auth/update-user', { name: 'Ann' })
    const named = await claimsOf('openid profile')

    assert.ok(metadata.claims_supported.includes('preferred_username'))
    assert.deepEqual(without, [undefined, undefined])
    assert.deepEqual(
      [unnamed, named],
      [
        [undefined, 'ann'],
        ['Ann', 'ann'],
      ],
    )
  })
})

describe('end-session', () => {
  const SIGNED_OUT = 'https://shop.example/bye'

  it('ends the very session of the id_token and leads to a registered address', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const shop = await register(administrator, { post_logout_redirect_uris: [SIGNED_OUT] })
    const { id_token = '' } = await tokensFor(ann, shop)
    service.clock.advance({ days: 2 })
    const asked = { id_token_hint: id_token, post_logout_redirect_uri: SIGNED_OUT, state: 's' }
    const end = (person: Person, changes: object = {}) =>
      person.get(`/oauth/end-session?${new URLSearchParams({ ...asked, ...changes })}`)
    const isSignedIn = async (person: Person) => (await person.get('/api/auth/get-session')).body !== null

    const shown = [
      await end(ann, { id_token_hint: '' }),
      await end(ann, { id_token_hint: '', client_id: shop.client_id }),
      await end(ann, { id_token_hint: `${id_token.slice(0, -4)}AAAA` }),
      await end(ben),
    ]
    const stillIn = [await isSignedIn(ann), await isSignedIn(ben)]
    const ended = await end(ann)
    shown.push(await end(ann, { post_logout_redirect_uri: 'https://evil.example/' }))

    for (const { status, headers } of shown) assert.deepEqual([status !== 302, headers.get('location')], [true, null])
    assert.deepEqual(stillIn, [true, true])
    assert.deepEqual([ended.status, ended.headers.get('location')], [302, `${SIGNED_OUT}?state=s`])
    assert.equal(await isSignedIn(ann), false)
  })

  it('asks, with a hint too, if the address afterwards is not registered, and says so', async ({
    service,
    administrator,
    ann,
  }) => {
    const shop = await register(administrator, { post_logout_redirect_uris: [SIGNED_OUT] })
    const { id_token = '' } = await tokensFor(ann, shop)
    const hinted = { id_token_hint: id_token, post_logout_redirect_uri: `${SIGNED_OUT}/` }
    const named = { client_id: shop.client_id, post_logout_redirect_uri: SIGNED_OUT }
    const factsOf = async (asked: object) => (await ann.post('/api/oauth/describe_sign_out', asked)).body

    const page = await ann.get(`/oauth/end-session?${new URLSearchParams(hinted)}`)
    const session = await ann.get('/api/auth/get-session')
    const nobodys = await stranger(service).get(`/oauth/end-session?${new URLSearchParams(hinted)}`)

    for (const { status, headers } of [page, nobodys])
      assert.deepEqual([status !== 302, headers.get('location')], [true, null])
    assert.equal(session.body?.user.id, ann.id)
    const refused = { client_name: 'Shop', redirect_to: null, is_redirect_refused: true }
    const led = { client_name: 'Shop', redirect_to: SIGNED_OUT, is_redirect_refused: false }
    assert.deepEqual(await Promise.all([hinted, named].map(factsOf)), [refused, led])
    assert.equal((await factsOf({ post_logout_redirect_uri: SIGNED_OUT })).is_redirect_refused, true)
    assert.equal((await factsOf({ id_token_hint: id_token })).is_redirect_refused, false)
  })

  it('asks if the password was changed meanwhile, since its session goes on', async ({ administrator, ann }) => {
    const shop = await register(administrator, { post_logout_redirect_uris: [SIGNED_OUT] })
    const { id_token = '' } = await tokensFor(ann, shop)
    const former = bearer(ann.token)
    const passwords = { currentPassword: ann.password, newPassword: 'a lantern in the harbour' }
    await ann.post('/api/auth/change-password', passwords)

    const asked = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: SIGNED_OUT })
    const { headers } = await ann.get(`/oauth/end-session?${asked}`, former)

    assert.equal(headers.get('location'), null)
  })
})

describe('calls from pages of other sites', () => {
  it('reach only routes that ignore cookies', async ({ ann }) => {
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
