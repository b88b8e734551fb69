import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { oauthError, refusal, statuses } from '../../../../../test/service/answers.ts'
import {
  approvedCode,
  authorizationQuery,
  grantFor,
  newVerifier,
  postForm,
  REDIRECT,
  redeem,
  refreshWith,
  userBehind,
} from '../../../../../test/service/grants.ts'
import { it } from '../../../../../test/service/it.ts'
import { type Person, stranger } from '../../../../../test/service/people.ts'
import { begin as beginFor, decide, it as itWithShop } from '../../../../../test/service/shop.ts'

const READ = 'operations:notifications:read'

const begin = (person: Person, change: object = {}) =>
  person.post('/api/oauth/begin_authorization', { ...authorizationQuery([READ]), ...change })

describe('46. PKCE', () => {
  it('is required: the token call needs the matching verifier, and a wrong one does not spend the code', async ({
    ann,
  }) => {
    const { code, verifier } = await approvedCode(ann, [READ])

    assert.equal((await redeem(ann, code, '')).body.error, 'invalid_request')
    assert.equal((await redeem(ann, code, newVerifier())).body.error, 'invalid_grant')
    assert.equal((await redeem(ann, code, verifier)).status, 200)
  })

  it('has a verifier of 43 to 128 characters: a shorter one could be guessed from its challenge', async ({ ann }) => {
    const redeemed = async (verifier: string) => {
      const { code } = await approvedCode(ann, [READ], verifier)
      const { status, body } = await redeem(ann, code, verifier)
      return body.error ?? status
    }

    for (const verifier of ['1234', 'a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(42)} `, 'ä'.repeat(43)])
      assert.equal(await redeemed(verifier), 'invalid_grant', verifier)
    for (const verifier of ['a'.repeat(43), '-._~'.repeat(32)]) assert.equal(await redeemed(verifier), 200)
  })
})

describe('begin_authorization', () => {
  it('46. and 50.: sends a fault back to the client with its error', async ({ service, ann }) => {
    for (const [fault, change, error] of [
      ['a missing code_challenge', { code_challenge: undefined }, 'invalid_request'],
      ['code_challenge_method=plain', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['code_challenge_method=S512', { code_challenge_method: 'S512' }, 'invalid_request'],
      ['a missing code_challenge_method', { code_challenge_method: undefined }, 'invalid_request'],
      ['a missing response_type', { response_type: undefined }, 'invalid_request'],
      ['response_type=token', { response_type: 'token' }, 'unsupported_response_type'],
      ['an unknown scope', { scope: 'operations:everything:read' }, 'invalid_scope'],
      ['no scope', { scope: '' }, 'invalid_scope'],
    ] as const) {
      const { searchParams } = new URL((await begin(ann, change)).body.redirect_to)
      const sent = ['error', 'state', 'iss'].map((name) => searchParams.get(name))
      assert.deepEqual(sent, [error, 'a-state', service.config.baseUrl], fault)
    }
  })

  itWithShop('names the scope that an application does not have', async ({ shop, ann }) => {
    const { body } = await beginFor(ann, shop, { scope: 'openid offline_access' })

    assert.equal(
      new URL(body.redirect_to).searchParams.get('error_description'),
      'This application does not have the scope offline_access; the administrator can add it, if it exists.',
    )
  })

  it('asks for a session first, and refuses an unknown client', async ({ service, ann }) => {
    const without = await begin(stranger(service))
    const unknown = await begin(ann, { client_id: 'another-client' })

    assert.deepEqual([without.status, ...refusal(unknown)], [401, 400, 'INVALID_REQUEST'])
  })
})

describe('47. a redirect URI', () => {
  it('is a loopback one with any port', async ({ ann }) => {
    const own = ['http://127.0.0.1:1/callback', 'http://[::1]:65535/callback']

    assert.deepEqual(statuses(await Promise.all(own.map((redirect_uri) => begin(ann, { redirect_uri })))), [200, 200])
  })

  it('is never another one: the refusal is not sent there', async ({ ann }) => {
    for (const redirect_uri of [
      'https://evil.example/callback',
      'http://localhost:49152/callback',
      'https://127.0.0.1:49152/callback',
      'HTTP://127.0.0.1:4000/callback',
      'http://0x7f000001:4000/callback',
      'http://[::2]:49152/callback',
      'http://127.0.0.1:65536/callback',
      'http://127.0.0.1:49152/callback/',
      'http://127.0.0.1:49152/callback?x=1',
      'http://127.0.0.1:4000/callback#fragment',
      'http://127.0.0.1:4000/callback/../other',
      'http://127.0.0.1:49152/other',
      'http://user@127.0.0.1:49152/callback',
      'http://ann:secret@127.0.0.1:4000/callback',
      'http://127.0.0.1:49152@evil.example/callback',
      'http://127.0.0.1.evil.example:49152/callback',
    ])
      for (const change of [{}, { response_type: 'token' }]) {
        const { status, body } = await begin(ann, { redirect_uri, ...change })
        assert.deepEqual([status, body.code, body.redirect_to], [400, 'INVALID_REQUEST', undefined], redirect_uri)
      }
  })
})

describe('48. a code', () => {
  it('is exchanged for tokens with the approved scopes, and comes back with state and issuer', async ({
    service,
    ann,
  }) => {
    const { code, verifier, redirect } = await approvedCode(ann, [READ])
    const { status, headers, body } = await redeem(ann, code, verifier)

    assert.deepEqual(
      [redirect.searchParams.get('state'), redirect.searchParams.get('iss')],
      ['a-state', service.config.baseUrl],
    )
    assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store'])
    assert.deepEqual(
      [body.token_type, body.expires_in, body.scope],
      ['Bearer', 900, `${READ} api_access offline_access`],
    )
    assert.equal(await userBehind(ann, body.access_token), ann.id)
  })

  it('works within 60 s, for its own client, verifier and redirect; another one does not spend it', async ({
    service,
    ann,
  }) => {
    const { code, verifier } = await approvedCode(ann, [READ])
    const late = await approvedCode(ann, [READ])

    const refused = [
      await redeem(ann, code, verifier, { client_id: 'another' }),
      await redeem(ann, code, newVerifier()),
      await redeem(ann, code, verifier, { redirect_uri: `${REDIRECT}2` }),
      await redeem(ann, code, verifier, { redirect_uri: 'http://127.0.0.1:50000/callback' }),
    ]
    const right = await redeem(ann, code, verifier)
    service.clock.advance({ seconds: 60 })
    refused.push(await redeem(ann, late.code, late.verifier))

    const invalid = [400, 'invalid_grant']
    assert.deepEqual(refused.map(oauthError), [[401, 'invalid_client'], invalid, invalid, invalid, invalid])
    assert.equal(right.status, 200)
  })

  it('redeemed 20 times at once, in two processes, succeeds exactly once', async ({ service, ann }) => {
    const { code, verifier } = await approvedCode(ann, [READ])
    const elsewhere = stranger({ ...service, request: service.requestElsewhere })

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => redeem(i % 2 === 0 ? ann : elsewhere, code, verifier)),
    )

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(answers.filter(({ body }) => body.error === 'invalid_grant').length, 19)
    assert.equal((await ann.post('/api/list_grants')).body.total, 1)
  })
})

describe('49. a second use of a code', () => {
  it.for(['the same', 'another'] as const)(
    'with %s verifier revokes the tokens of the first use, and no session',
    async (which, { ann }) => {
      const { code, verifier } = await approvedCode(ann, [READ])
      const { body } = await redeem(ann, code, verifier)

      const second = await redeem(ann, code, which === 'another' ? newVerifier() : verifier)

      assert.deepEqual(oauthError(second), [400, 'invalid_grant'])
      assert.equal(await userBehind(ann, body.access_token), undefined)
      assert.equal((await refreshWith(ann, body.refresh_token)).body.error, 'invalid_grant')
      assert.equal((await ann.get('/api/auth/get-session')).body.user.id, ann.id)
    },
  )
})

describe('50. the flows that OAuth 2.1 dropped', () => {
  it.for(['password', 'client_credentials'])('are not offered: %s', async (grant_type, { ann }) => {
    const form = { grant_type, client_id: 'cli-client', username: ann.email, password: ann.password }

    assert.deepEqual(oauthError(await postForm(ann, '/api/oauth/token', form)), [400, 'unsupported_grant_type'])
  })
})

describe('56. the consent', () => {
  it('names client, origin and every scope with its description, and grants nothing yet', async ({ service, ann }) => {
    const [first, second] = [await begin(ann, { scope: READ }), await begin(ann, { scope: READ })]
    const { body } = await ann.post('/api/oauth/get_authorization', first.body)

    assert.notEqual(first.body.request_id, second.body.request_id)
    assert.deepEqual([body.client_id, body.client_name], ['cli-client', 'Command-line client'])
    assert.deepEqual([body.target_origin, body.user_code, body.expires_in], [service.config.baseUrl, null, 600])
    assert.deepEqual(body.scopes, [
      {
        scope: READ,
        description:
          'Read your notifications, and follow them as they arrive; see which of them are sent to you by email',
      },
    ])
    assert.equal((await ann.post('/api/list_grants')).body.total, 0)
  })

  it('is needed each time; two at once keep their own scopes', async ({ ann }) => {
    const [one, other] = await Promise.all([
      grantFor(ann, READ),
      grantFor(ann, 'account:profile:read', 'account:credits:read'),
    ])

    assert.equal(one.tokens.scope, `${READ} api_access offline_access`)
    assert.equal(other.tokens.scope, 'account:profile:read account:credits:read api_access offline_access')
    assert.equal((await ann.post('/api/list_grants')).body.total, 2)
  })

  it('cannot be seen or given by another user, nor given from another site', async ({ ann, ben }) => {
    const { body } = await begin(ann)
    const decision = { ...body, approve: true }

    const toBen = await ben.post('/api/oauth/get_authorization', body)
    const byBen = await ben.post('/api/oauth/decide_authorization', decision)
    const origin = { origin: 'https://evil.example' }
    const across = await ann.post('/api/oauth/decide_authorization', decision, origin)

    assert.deepEqual(statuses([toBen, byBen]), [404, 404])
    assert.deepEqual(refusal(across), [403, 'INVALID_ORIGIN'])
  })

  it('that is denied sends the client a refusal', async ({ ann }) => {
    const { request_id } = (await begin(ann)).body

    const denied = await decide(ann, request_id, false)
    const again = await decide(ann, request_id)

    assert.equal(new URL(denied.body.redirect_to).searchParams.get('error'), 'access_denied')
    assert.equal(again.status, 404)
  })

  it('62. of a user cannot grant what only the administrator has', async ({ ann, administrator }) => {
    const refused = []
    for (const scope of ['admin:feedback:read', 'admin:users:read'])
      refused.push(await decide(ann, (await begin(ann, { scope })).body.request_id))
    const connected = await grantFor(administrator, 'admin:feedback:read')

    assert.deepEqual(refused.map(refusal), Array(2).fill([403, 'FORBIDDEN']))
    assert.match(connected.tokens.scope, /admin:feedback:read/)
  })
})

describe('61. the metadata', () => {
  it('is where RFC 8414 puts it, names the issuer exactly and S256 only; redirects carry the same iss', async ({
    service,
    ann,
  }) => {
    const { status, body } = await stranger(service).get('/.well-known/oauth-authorization-server')
    const { redirect } = await approvedCode(ann, [READ])

    assert.deepEqual([status, body.issuer], [200, service.config.baseUrl])
    assert.deepEqual(body.code_challenge_methods_supported, ['S256'])
    assert.equal(body.authorization_response_iss_parameter_supported, true)
    assert.equal(redirect.searchParams.get('iss'), body.issuer)
  })
})
