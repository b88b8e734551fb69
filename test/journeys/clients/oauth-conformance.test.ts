import assert from 'node:assert/strict'
import { describe } from 'vitest'
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
import { it } from '../../service/it.ts'
import type { Person } from '../../service/people.ts'

// Cases of the OpenID conformance suite that speak of OAuth, by their names there. Those that need ID tokens,
// client secrets or dynamic registration do not apply here.
const SCOPE = 'operations:notifications:read'

const begin = (person: Person, change: object) =>
  person.post('/api/oauth/begin_authorization', { ...authorizationQuery([SCOPE]), ...change })

describe('OpenID conformance suite', () => {
  it('oidcc-discovery-endpoint-verification', async ({ service, ann }) => {
    const { status, headers, body } = await ann.get('/.well-known/oauth-authorization-server')

    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(body.issuer, service.config.baseUrl)
    assert.deepEqual(body.response_types_supported, ['code'])
    for (const endpoint of ['authorization', 'token', 'device_authorization', 'revocation'])
      assert.ok(URL.canParse(body[`${endpoint}_endpoint`]), endpoint)
  })

  it('oidcc-server, oidcc-ensure-request-with-valid-pkce-succeeds: the flow from request to protected resource', async ({
    ann,
  }) => {
    const client = await grantFor(ann, SCOPE)

    assert.equal((await client.post('/api/list_notifications')).status, 200)
  })

  it('oidcc-response-type-missing', async ({ ann }) => {
    const { body } = await begin(ann, { response_type: undefined })

    const { searchParams } = new URL(body.redirect_to)
    assert.deepEqual([searchParams.get('error'), searchParams.get('state')], ['invalid_request', 'a-state'])
  })

  it.for<[string, object]>([
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
    ['oidcc-ensure-other-scope-order-succeeds', { scope: `offline_access ${SCOPE} api_access` }],
  ])('%s', async ([, change], { ann }) => {
    const { status, body } = await begin(ann, change)

    assert.equal(status, 200)
    assert.ok(body.request_id)
  })

  it.for<[string, string | undefined]>([
    ['oidcc-ensure-redirect-uri-in-authorization-request', undefined],
    ['oidcc-ensure-registered-redirect-uri', 'https://client.example/callback'],
    ['oidcc-redirect-uri-query-added', `${REDIRECT}?foo=bar`],
  ])('%s', async ([, redirect_uri], { ann }) => {
    const { status, body } = await begin(ann, { redirect_uri })

    assert.deepEqual([status, body.redirect_to], [400, undefined])
  })

  it('oidcc-redirect-uri-query-mismatch, oidcc-codereuse', async ({ ann }) => {
    const mismatched = await approvedCode(ann, [SCOPE])
    const reused = await approvedCode(ann, [SCOPE])
    await redeem(ann, reused.code, reused.verifier)

    const other = { redirect_uri: `${REDIRECT}?foo=bar` }
    const answers = [
      await redeem(ann, mismatched.code, mismatched.verifier, other),
      await redeem(ann, reused.code, reused.verifier),
    ]

    for (const { status, body } of answers) assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  })

  it('oidcc-codereuse-30seconds: and what came of the first use is revoked', async ({ service, ann }) => {
    const { code, verifier } = await approvedCode(ann, [SCOPE])
    const first = await redeem(ann, code, verifier)

    service.clock.advance({ seconds: 30 })
    await redeem(ann, code, newVerifier())

    assert.equal(await userBehind(ann, first.body.access_token), undefined)
  })

  it('oidcc-refresh-token', async ({ ann }) => {
    const client = await grantFor(ann, SCOPE)

    const first = await client.refresh()
    const second = await refreshWith(ann, first.body.refresh_token)

    assert.deepEqual([first.status, second.status], [200, 200])
    assert.equal(second.body.scope, client.tokens.scope)
    assert.equal(await userBehind(ann, second.body.access_token), ann.id)
  })
})
