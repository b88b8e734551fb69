import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import {
  approvedCode,
  grantFor,
  newVerifier,
  postForm,
  REDIRECT,
  redeem,
  refreshWith,
  userBehind,
} from '../../service/grants.ts'
import { READ, WRITE, world } from '../support/oauth.ts'

describe('46. PKCE', () => {
  it('is required, with S256 only, and the token call needs the matching verifier', async () => {
    await using here = await world()
    const { code, verifier } = await approvedCode(here.ann, [READ])

    assert.equal(errorIn(await here.begin({ code_challenge: undefined })), 'invalid_request')
    assert.equal(errorIn(await here.begin({ code_challenge_method: 'plain' })), 'invalid_request')
    assert.equal(errorIn(await here.begin({ code_challenge_method: 'S512' })), 'invalid_request')
    assert.equal((await redeem(here.ann, code, '')).body.error, 'invalid_request')
    assert.equal((await redeem(here.ann, code, newVerifier())).body.error, 'invalid_grant')
    assert.equal((await redeem(here.ann, code, verifier)).status, 200)
  })

  it('has a verifier of 43 to 128 characters: a shorter one could be guessed from its challenge', async () => {
    await using here = await world()
    const redeemed = async (verifier: string) => {
      const { code } = await approvedCode(here.ann, [READ], verifier)
      const { status, body } = await redeem(here.ann, code, verifier)
      return body.error ?? status
    }

    for (const verifier of ['1234', 'a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(42)} `, 'ä'.repeat(43)])
      assert.equal(await redeemed(verifier), 'invalid_grant', verifier)
    for (const verifier of ['a'.repeat(43), '-._~'.repeat(32)]) assert.equal(await redeemed(verifier), 200)
  })
})

describe('47. a redirect address', () => {
  it('is a loopback one with any port; any other is refused without a redirect', async () => {
    await using here = await world()
    const foreign = [
      'https://evil.example/callback',
      'http://localhost:4000/callback',
      'http://127.0.0.1:4000/callback/../other',
      'http://127.0.0.1:4000@evil.example/callback',
      'http://ann:secret@127.0.0.1:4000/callback',
      'http://127.0.0.1:4000/callback#fragment',
      'HTTP://127.0.0.1:4000/callback',
      'http://0x7f000001:4000/callback',
    ]

    for (const redirect_uri of ['http://127.0.0.1:1/callback', 'http://[::1]:65535/callback']) {
      assert.equal((await here.begin({ redirect_uri })).status, 200)
    }
    for (const redirect_uri of foreign) {
      const { status, body } = await here.begin({ redirect_uri })
      assert.deepEqual([status, body.redirect_to], [400, undefined], redirect_uri)
    }
  })
})

describe('48. a code', () => {
  it('works once, within 60 s, for its own client, verifier and redirect', async () => {
    await using here = await world()
    const { code, verifier } = await approvedCode(here.ann, [READ])
    const late = await approvedCode(here.ann, [READ])

    const otherClient = await redeem(here.ann, code, verifier, { client_id: 'another' })
    const otherRedirect = await redeem(here.ann, code, verifier, { redirect_uri: `${REDIRECT}2` })
    const right = await redeem(here.ann, code, verifier)
    here.service.clock.advance({ seconds: 60 })
    const tooLate = await redeem(here.ann, late.code, late.verifier)

    assert.deepEqual([otherClient.status, otherClient.body.error], [401, 'invalid_client'])
    assert.equal(otherRedirect.body.error, 'invalid_grant')
    assert.equal(right.status, 200)
    assert.equal(tooLate.body.error, 'invalid_grant')
  })

  it('redeemed 20 times at once, in two processes, succeeds exactly once', async () => {
    await using here = await world()
    const { code, verifier } = await approvedCode(here.ann, [READ])
    const elsewhere = () => redeemElsewhere(here, code, verifier)

    const statuses = await Promise.all(
      Array.from({ length: 20 }, async (_, i) =>
        i % 2 === 0 ? (await redeem(here.ann, code, verifier)).status : elsewhere(),
      ),
    )

    assert.equal(statuses.filter((status) => status === 200).length, 1)
    assert.equal(statuses.filter((status) => status === 400).length, 19)
  })
})

describe('49. a second use of a code', () => {
  it('revokes the tokens that came of the first', async () => {
    await using here = await world()
    const { code, verifier } = await approvedCode(here.ann, [READ])
    const { body } = await redeem(here.ann, code, verifier)

    await redeem(here.ann, code, verifier)

    assert.equal(await userBehind(here.ann, body.access_token), undefined)
    assert.equal((await refreshWith(here.ann, body.refresh_token)).body.error, 'invalid_grant')
  })
})

describe('50. the flows that OAuth 2.1 dropped', () => {
  it('are not offered', async () => {
    await using here = await world()
    const grant = (grant_type: string) =>
      postForm(here.device, '/api/oauth/token', {
        grant_type,
        client_id: 'cli-client',
        username: here.ann.email,
        password: here.ann.password,
      })

    assert.equal(errorIn(await here.begin({ response_type: 'token' })), 'unsupported_response_type')
    for (const grantType of ['password', 'client_credentials']) {
      const { status, body } = await grant(grantType)
      assert.deepEqual([status, body.error], [400, 'unsupported_grant_type'])
    }
  })
})

describe('56. the consent', () => {
  it('names client, origin and scopes, and is needed each time; each grant keeps its own scopes', async () => {
    await using here = await world()
    const [first, second] = await Promise.all([here.begin({ scope: READ }), here.begin({ scope: WRITE })])
    const shown = await here.ann.post('/api/oauth/get_authorization', first.body)
    const unapproved = await here.ann.post('/api/list_grants')
    const clients = await Promise.all([grantFor(here.ann, READ), grantFor(here.ann, WRITE)])

    assert.ok(first.body.request_id !== second.body.request_id)
    assert.deepEqual(
      [shown.body.client_name, shown.body.target_origin],
      ['Command-line client', here.service.config.baseUrl],
    )
    assert.deepEqual(
      shown.body.scopes.map(({ scope }: { scope: string }) => scope),
      [READ],
    )
    assert.equal(unapproved.body.total, 0)
    assert.deepEqual(
      clients.map(({ tokens }) => tokens.scope.split(' ')[0]),
      [READ, WRITE],
    )
  })

  it('cannot be given by another user, nor from another site', async () => {
    await using here = await world()
    const { body } = await here.begin({})
    const decision = { ...body, approve: true }

    const byBen = await here.ben.post('/api/oauth/decide_authorization', decision)
    const across = await here.ann.post('/api/oauth/decide_authorization', decision, {
      origin: 'https://evil.example',
    })

    assert.equal(byBen.status, 404)
    assert.deepEqual([across.status, across.body.code], [403, 'INVALID_ORIGIN'])
  })
})

describe('61. the metadata', () => {
  it('is where RFC 8414 puts it, names the issuer exactly and S256 only; redirects carry the same iss', async () => {
    await using here = await world()

    const { status, body } = await here.device.get('/.well-known/oauth-authorization-server')
    const { redirect } = await approvedCode(here.ann, [READ])

    assert.equal(status, 200)
    assert.equal(body.issuer, here.service.config.baseUrl)
    assert.deepEqual(body.code_challenge_methods_supported, ['S256'])
    assert.equal(body.authorization_response_iss_parameter_supported, true)
    assert.equal(redirect.searchParams.get('iss'), body.issuer)
  })
})

function errorIn(answer: { readonly body: { readonly redirect_to: string } }): string | null {
  return new URL(answer.body.redirect_to).searchParams.get('error')
}

async function redeemElsewhere(
  here: { readonly service: { requestElsewhere(path: string, init: RequestInit): Promise<Response> } },
  code: string,
  verifier: string,
): Promise<number> {
  const form = {
    grant_type: 'authorization_code',
    client_id: 'cli-client',
    code,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
  }
  const init = { method: 'POST', body: new URLSearchParams(form) }
  const { status } = await here.service.requestElsewhere('/api/oauth/token', init)
  return status
}
