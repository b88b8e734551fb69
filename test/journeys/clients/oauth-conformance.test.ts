import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import {
  approvedCode,
  authorizationQuery,
  grantFor,
  newVerifier,
  REDIRECT,
  redeem,
  refreshWith,
  userBehind,
} from '../../service/grants.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

// Cases of the OpenID conformance suite that speak of OAuth, by their names there. Those that need ID tokens,
// client secrets or dynamic registration do not apply here.
const SCOPE = 'operations:notifications:read'

async function world() {
  const service = await startService()
  const { ann } = await people(service)
  const begin = (change: object) =>
    ann.post('/api/oauth/begin_authorization', { ...authorizationQuery([SCOPE]), ...change })
  return { service, ann, begin, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

describe('OpenID conformance suite', () => {
  it('oidcc-discovery-endpoint-verification', async () => {
    await using here = await world()

    const { status, headers, body } = await here.ann.get('/.well-known/oauth-authorization-server')

    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(body.issuer, here.service.config.baseUrl)
    assert.deepEqual(body.response_types_supported, ['code'])
    for (const endpoint of ['authorization', 'token', 'device_authorization', 'revocation']) {
      assert.ok(URL.canParse(body[`${endpoint}_endpoint`]), endpoint)
    }
  })

  it('oidcc-server: the flow from request to protected resource', async () => {
    await using here = await world()

    const client = await grantFor(here.ann, SCOPE)

    assert.equal((await client.post('/api/list_notifications')).status, 200)
  })

  it('oidcc-response-type-missing', async () => {
    await using here = await world()

    const { body } = await here.begin({ response_type: undefined })

    const redirect = new URL(body.redirect_to)
    assert.equal(redirect.searchParams.get('error'), 'invalid_request')
    assert.equal(redirect.searchParams.get('state'), 'a-state')
  })

  it('oidcc-ensure-request-with-valid-pkce-succeeds', async () => {
    await using here = await world()
    const { code, verifier } = await approvedCode(here.ann, [SCOPE])

    assert.equal((await redeem(here.ann, code, verifier)).status, 200)
  })

  it('oidcc-ensure-request-with-unknown-parameter-succeeds', async () => {
    await using here = await world()

    const { status, body } = await here.begin({ extra: 'foobar' })

    assert.equal(status, 200)
    assert.ok(body.request_id)
  })

  it('oidcc-ensure-other-scope-order-succeeds', async () => {
    await using here = await world()

    const { body } = await here.begin({ scope: `offline_access ${SCOPE} api_access` })

    assert.ok(body.request_id)
  })

  it('oidcc-ensure-redirect-uri-in-authorization-request', async () => {
    await using here = await world()

    const { status, body } = await here.begin({ redirect_uri: undefined })

    assert.deepEqual([status, body.redirect_to], [400, undefined])
  })

  it('oidcc-ensure-registered-redirect-uri', async () => {
    await using here = await world()

    const { status, body } = await here.begin({ redirect_uri: 'https://client.example/callback' })

    assert.deepEqual([status, body.redirect_to], [400, undefined])
  })

  it('oidcc-redirect-uri-query-added', async () => {
    await using here = await world()

    const { status, body } = await here.begin({ redirect_uri: `${REDIRECT}?foo=bar` })

    assert.deepEqual([status, body.redirect_to], [400, undefined])
  })

  it('oidcc-redirect-uri-query-mismatch', async () => {
    await using here = await world()
    const { code, verifier } = await approvedCode(here.ann, [SCOPE])

    const { status, body } = await redeem(here.ann, code, verifier, { redirect_uri: `${REDIRECT}?foo=bar` })

    assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  })

  it('oidcc-codereuse', async () => {
    await using here = await world()
    const { code, verifier } = await approvedCode(here.ann, [SCOPE])
    await redeem(here.ann, code, verifier)

    const { status, body } = await redeem(here.ann, code, verifier)

    assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  })

  it('oidcc-codereuse-30seconds: and what came of the first use is revoked', async () => {
    await using here = await world()
    const { code, verifier } = await approvedCode(here.ann, [SCOPE])
    const first = await redeem(here.ann, code, verifier)

    here.service.clock.advance({ seconds: 30 })
    await redeem(here.ann, code, newVerifier())

    assert.equal(await userBehind(here.ann, first.body.access_token), undefined)
  })

  it('oidcc-refresh-token', async () => {
    await using here = await world()
    const client = await grantFor(here.ann, SCOPE)

    const first = await client.refresh()
    const second = await refreshWith(here.ann, first.body.refresh_token)

    assert.deepEqual([first.status, second.status], [200, 200])
    assert.equal(second.body.scope, client.tokens.scope)
    assert.equal(await userBehind(here.ann, second.body.access_token), here.ann.id)
  })
})
