import assert from 'node:assert/strict'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe } from 'vitest'
import { register } from '../service/applications.ts'
import { type Person, stranger } from '../service/people.ts'
import { startProduct } from '../service/product.ts'
import { it, RelyingParty, SIGNED_OUT } from './relying-party.ts'

type Fields = Readonly<Record<string, string>>

/** The address the browser is led to, and whether the person is still signed in. */
async function ended(person: Person, fields: Fields) {
  const { headers } = await person.get(`/oauth/end-session?${new URLSearchParams(fields)}`)
  const { body: session } = await person.get('/api/auth/get-session')
  return { location: headers.get('location'), isSignedIn: session !== null }
}

/** The address the page that asks leads to, once the person has signed out. */
async function ledAfterwards(person: Person, fields: Fields): Promise<string | null> {
  return (await person.post('/api/oauth/describe_sign_out', fields)).body.redirect_to
}

const ASKED = { location: null, isSignedIn: true }
const WHOLE = { post_logout_redirect_uri: SIGNED_OUT, state: 'a-state' }

// The modules of OpenID's certification plans for sign-out and configuration, by their names.
describe('RP-initiated logout certification plan', () => {
  it('oidcc-rp-initiated-logout-discovery-endpoint-verification', async ({ service, ann }) => {
    const { body } = await ann.get('/.well-known/openid-configuration')

    assert.equal(body.end_session_endpoint, `${service.config.baseUrl}/oauth/end-session`)
  })

  it('oidcc-rp-initiated-logout', async ({ party, ann }) => {
    const { id_token } = (await party.signIn(ann)).tokens
    const out = await ended(ann, { ...WHOLE, id_token_hint: id_token })
    const { error } = await party.authorize(ann, { prompt: 'none' })

    assert.deepEqual(out, { location: `${SIGNED_OUT}?state=a-state`, isSignedIn: false })
    assert.equal(error, 'login_required')
  })

  it('oidcc-rp-initiated-logout-bad-id-token-hint', async ({ service, party, ann }) => {
    await party.signIn(ann)
    const fields = { ...WHOLE, id_token_hint: 'bad', client_id: party.registered.client_id }

    assert.deepEqual(await ended(ann, fields), ASKED)
    assert.equal(await ledAfterwards(ann, fields), null)
    assert.equal((await ended(stranger(service), fields)).location, null)
  })

  it('oidcc-rp-initiated-logout-modified-id-token-hint', async ({ party, ann }) => {
    const { id_token } = (await party.signIn(ann)).tokens
    const [head, , tail] = id_token.split('.')
    const body = Buffer.from(JSON.stringify({ sub: ann.id, aud: party.registered.client_id }))
    const modified = [head, body.toString('base64url'), tail].join('.')

    assert.deepEqual(await ended(ann, { ...WHOLE, id_token_hint: modified }), ASKED)
    assert.equal(await ledAfterwards(ann, { ...WHOLE, id_token_hint: modified }), null)
  })

  it('oidcc-rp-initiated-logout-no-id-token-hint', async ({ party, ann }) => {
    await party.signIn(ann)

    assert.deepEqual(await ended(ann, WHOLE), ASKED)
  })

  it('oidcc-rp-initiated-logout-no-params', async ({ party, ann }) => {
    await party.signIn(ann)

    assert.deepEqual(await ended(ann, {}), ASKED)
  })

  it('oidcc-rp-initiated-logout-only-state', async ({ party, ann }) => {
    await party.signIn(ann)

    assert.deepEqual(await ended(ann, { state: 'a-state' }), ASKED)
  })

  it('oidcc-rp-initiated-logout-no-post-logout-redirect-uri', async ({ party, ann }) => {
    const { id_token } = (await party.signIn(ann)).tokens
    const out = await ended(ann, { state: 'a-state', id_token_hint: id_token })

    assert.deepEqual(out, { location: null, isSignedIn: false })
  })

  it.for([
    ['oidcc-rp-initiated-logout-bad-post-logout-redirect-uri', { post_logout_redirect_uri: 'https://evil.example/' }],
    [
      'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri',
      { post_logout_redirect_uri: `${SIGNED_OUT}?extra=true` },
    ],
  ] as const)('%s', async ([, fields], { party, ann }) => {
    const { id_token } = (await party.signIn(ann)).tokens
    const asked = { ...fields, id_token_hint: id_token }

    assert.deepEqual(await ended(ann, asked), ASKED)
    assert.equal(await ledAfterwards(ann, asked), null)
  })

  it('oidcc-rp-initiated-logout-no-state', async ({ party, ann }) => {
    const { id_token } = (await party.signIn(ann)).tokens
    const fields = { post_logout_redirect_uri: SIGNED_OUT, id_token_hint: id_token }

    assert.deepEqual(await ended(ann, fields), { location: SIGNED_OUT, isSignedIn: false })
  })
})

describe('back-channel logout certification plan', () => {
  it.override('options', { env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } })

  it('oidcc-backchannel-rp-initiated-logout-discovery-endpoint-verification', async ({ ann }) => {
    const { body } = await ann.get('/.well-known/openid-configuration')

    assert.deepEqual([body.backchannel_logout_supported, body.backchannel_logout_session_supported], [true, true])
  })

  it('oidcc-backchannel-rp-initiated-logout', async ({ service, administrator, ann }) => {
    await using product = await startProduct()
    const fields = { backchannel_logout_uri: product.url, post_logout_redirect_uris: [SIGNED_OUT] }
    const registered = await register(administrator, { require_pkce: false, ...fields })
    const party = new RelyingParty(service, registered, 'query')
    const { tokens, claims } = await party.signIn(ann)

    await ended(ann, { ...WHOLE, id_token_hint: tokens.id_token })
    await service.runJob('events')
    await service.runJob('webhooks')

    const [got = assert.fail('nothing came')] = product.got
    const token = new URLSearchParams(got.body).get('logout_token') ?? ''
    const { body: keys } = await ann.get('/api/oauth/jwks')
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer: service.config.baseUrl,
      audience: registered.client_id,
      algorithms: ['RS256'],
      currentDate: new Date(service.clock.now()),
      requiredClaims: ['iat', 'exp', 'jti', 'events'],
    })
    assert.equal(protectedHeader.typ, 'logout+jwt')
    assert.deepEqual([payload.sub, payload.sid, payload.nonce], [ann.id, claims.sid, undefined])
    assert.deepEqual(payload.events, { 'http://schemas.openid.net/event/backchannel-logout': {} })
  })
})

describe('config certification plan', () => {
  it('oidcc-discovery-endpoint-verification', async ({ service, ann }) => {
    const { status, headers, body } = await ann.get('/.well-known/openid-configuration')
    const { body: keys } = await ann.get(new URL(body.jwks_uri).pathname)

    assert.deepEqual([status, headers.get('content-type')], [200, 'application/json'])
    assert.equal(body.issuer, service.config.baseUrl)
    for (const name of ['authorization', 'token', 'userinfo']) assert.ok(URL.canParse(body[`${name}_endpoint`]), name)
    const lists: Readonly<Record<string, readonly string[]>> = {
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      claims_supported: ['sub', 'iss', 'auth_time', 'name', 'email'],
      response_modes_supported: ['query', 'form_post'],
    }
    for (const [name, values] of Object.entries(lists))
      for (const value of values) assert.ok(body[name].includes(value), `${name}: ${value}`)
    assert.deepEqual([body.request_parameter_supported, body.claims_parameter_supported], [false, false])
    const rsa = keys.keys.find(({ alg }: { readonly alg: string }) => alg === 'RS256')
    const bytes = Buffer.from(rsa.n, 'base64url').length
    assert.deepEqual([rsa.kty, rsa.use, 'd' in rsa, bytes], ['RSA', 'sig', false, 256])
  })
})
