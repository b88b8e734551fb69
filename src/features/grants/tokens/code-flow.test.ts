import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { queryFor, register } from '../../../../test/service/applications.ts'
import {
  approvedCode,
  authorizationQuery,
  grantFor,
  newVerifier,
  redeem,
  userBehind,
} from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'

const SCOPE = 'operations:notifications:read'

describe('a code', () => {
  it('is exchanged for tokens with the approved scopes, and comes back with state and issuer', async ({
    service,
    ann,
  }) => {
    const { code, verifier, redirect } = await approvedCode(ann, [SCOPE])
    const answer = await redeem(ann, code, verifier)

    assert.equal(redirect.searchParams.get('state'), 'a-state')
    assert.equal(redirect.searchParams.get('iss'), service.config.baseUrl)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal(answer.body.token_type, 'Bearer')
    assert.equal(answer.body.expires_in, 900)
    assert.equal(answer.body.scope, `${SCOPE} api_access offline_access`)
    assert.equal(await userBehind(ann, answer.body.access_token), ann.id)
  })

  it('works only once; a second use revokes what the first one got', async ({ ann }) => {
    const { code, verifier } = await approvedCode(ann, [SCOPE])
    const first = await redeem(ann, code, verifier)

    const second = await redeem(ann, code, newVerifier())

    assert.deepEqual([second.status, second.body.error], [400, 'invalid_grant'])
    assert.equal(await userBehind(ann, first.body.access_token), undefined)
    assert.equal((await ann.get('/api/auth/get-session')).body.user.id, ann.id)
  })

  it('is refused after 60 s', async ({ service, ann }) => {
    const { code, verifier } = await approvedCode(ann, [SCOPE])

    service.clock.advance({ seconds: 60 })
    const late = await redeem(ann, code, verifier)

    assert.deepEqual([late.status, late.body.error], [400, 'invalid_grant'])
  })

  it('is refused with another verifier or redirect address, which does not spend it', async ({ ann }) => {
    const { code, verifier } = await approvedCode(ann, [SCOPE])

    const otherVerifier = await redeem(ann, code, newVerifier())
    const otherRedirect = await redeem(ann, code, verifier, {
      redirect_uri: 'http://127.0.0.1:50000/callback',
    })
    const right = await redeem(ann, code, verifier)

    assert.equal(otherVerifier.body.error, 'invalid_grant')
    assert.equal(otherRedirect.body.error, 'invalid_grant')
    assert.equal(right.status, 200)
  })

  it('presented 20 times at once is redeemed exactly once', async ({ ann }) => {
    const { code, verifier } = await approvedCode(ann, [SCOPE])

    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(ann, code, verifier)))

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(answers.filter(({ body }) => body.error === 'invalid_grant').length, 19)
    assert.equal((await ann.post('/api/list_grants')).body.total, 1)
  })
})

describe('begin_authorization', () => {
  const refusals = [
    ['a missing response_type', { response_type: undefined }, 'invalid_request'],
    ['response_type=token', { response_type: 'token' }, 'unsupported_response_type'],
    ['a missing code_challenge', { code_challenge: undefined }, 'invalid_request'],
    ['code_challenge_method=plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a missing code_challenge_method', { code_challenge_method: undefined }, 'invalid_request'],
    ['an unknown scope', { scope: 'operations:everything:read' }, 'invalid_scope'],
    ['no scope', { scope: '' }, 'invalid_scope'],
  ] as const
  for (const [fault, change, error] of refusals) {
    it(`sends ${fault} back to the client as ${error}`, async ({ service, ann }) => {
      const begun = await ann.post('/api/oauth/begin_authorization', {
        ...authorizationQuery([SCOPE]),
        ...change,
      })

      const redirect = new URL(begun.body.redirect_to)
      assert.equal(redirect.searchParams.get('error'), error)
      assert.equal(redirect.searchParams.get('state'), 'a-state')
      assert.equal(redirect.searchParams.get('iss'), service.config.baseUrl)
    })
  }

  it('names the scope that an application does not have', async ({ administrator, ann }) => {
    const shop = await register(administrator)

    const begun = await ann.post('/api/oauth/begin_authorization', {
      ...queryFor(shop, newVerifier()),
      scope: 'openid offline_access',
    })

    assert.equal(
      new URL(begun.body.redirect_to).searchParams.get('error_description'),
      'This application does not have the scope offline_access; the administrator can add it, if it exists.',
    )
  })

  const strangers = [
    'http://localhost:49152/callback',
    'https://127.0.0.1:49152/callback',
    'http://127.0.0.1:49152/callback/',
    'http://127.0.0.1:49152/callback?x=1',
    'http://127.0.0.1:49152/other',
    'http://user@127.0.0.1:49152/callback',
    'http://127.0.0.1:49152@evil.example/callback',
    'http://127.0.0.1.evil.example:49152/callback',
    'http://127.0.0.1:65536/callback',
    'http://[::2]:49152/callback',
  ]
  for (const redirect_uri of strangers) {
    it(`never redirects to ${redirect_uri}`, async ({ ann }) => {
      const begun = await ann.post('/api/oauth/begin_authorization', {
        ...authorizationQuery([SCOPE]),
        redirect_uri,
        response_type: 'token',
      })

      assert.deepEqual([begun.status, begun.body.code], [400, 'INVALID_REQUEST'])
      assert.equal(begun.body.redirect_to, undefined)
    })
  }

  it('takes a loopback redirect on any port, IPv6 too, and refuses an unknown client', async ({ ann }) => {
    const query = authorizationQuery([SCOPE])
    const begin = (change: object) => ann.post('/api/oauth/begin_authorization', { ...query, ...change })

    const ports = await Promise.all([
      begin({ redirect_uri: 'http://127.0.0.1:1/callback' }),
      begin({ redirect_uri: 'http://[::1]:65535/callback' }),
    ])
    const other = await begin({ client_id: 'another-client' })

    assert.deepEqual(
      ports.map(({ status }) => status),
      [200, 200],
    )
    assert.deepEqual([other.status, other.body.code], [400, 'INVALID_REQUEST'])
  })

  it('asks for a session first', async ({ service }) => {
    const begun = await service.request('/api/oauth/begin_authorization', { method: 'POST' })

    assert.equal(begun.status, 401)
  })
})

describe('consent', () => {
  it('shows client, origin and every scope with its description, only to the user who began', async ({
    service,
    ann,
    ben,
  }) => {
    const { body } = await ann.post('/api/oauth/begin_authorization', authorizationQuery([SCOPE]))

    const shown = await ann.post('/api/oauth/get_authorization', body)
    const toBen = await ben.post('/api/oauth/get_authorization', body)

    assert.equal(shown.body.client_id, 'cli-client')
    assert.equal(shown.body.target_origin, service.config.baseUrl)
    assert.deepEqual(shown.body.scopes, [{ scope: SCOPE, description: 'Read your notifications' }])
    assert.equal(shown.body.user_code, null)
    assert.equal(shown.body.expires_in, 600)
    assert.equal(toBen.status, 404)
  })

  it('that is denied sends the client a refusal', async ({ ann }) => {
    const { body } = await ann.post('/api/oauth/begin_authorization', authorizationQuery([SCOPE]))

    const denied = await ann.post('/api/oauth/decide_authorization', { ...body, approve: false })
    const again = await ann.post('/api/oauth/decide_authorization', { ...body, approve: true })

    assert.equal(new URL(denied.body.redirect_to).searchParams.get('error'), 'access_denied')
    assert.equal(again.status, 404)
  })

  it('of a user cannot grant what only the administrator has', async ({ ann, administrator }) => {
    const query = authorizationQuery(['admin:feedback:read'])
    const { body } = await ann.post('/api/oauth/begin_authorization', query)

    const refused = await ann.post('/api/oauth/decide_authorization', { ...body, approve: true })
    const connected = await grantFor(administrator, 'admin:feedback:read')

    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])
    assert.match(connected.tokens.scope, /admin:feedback:read/)
  })

  it('makes a grant each time; two at once keep their own scopes', async ({ ann }) => {
    const [one, other] = await Promise.all([
      grantFor(ann, SCOPE),
      grantFor(ann, 'account:profile:read', 'account:credits:read'),
    ])

    assert.equal(one.tokens.scope, `${SCOPE} api_access offline_access`)
    assert.equal(other.tokens.scope, 'account:profile:read account:credits:read api_access offline_access')
    assert.equal((await ann.post('/api/list_grants')).body.total, 2)
  })
})
