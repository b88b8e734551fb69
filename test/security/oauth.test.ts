import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { routes } from '../../src/app.ts'
import type { Route } from '../../src/http/route.ts'
import {
  approvedCode,
  authorizationQuery,
  decideDevice,
  grantFor,
  newVerifier,
  poll,
  postForm,
  REDIRECT,
  redeem,
  refreshWith,
  revoke,
  startDevice,
  userBehind,
} from '../service/grants.ts'
import { people, stranger } from '../service/people.ts'
import { startService } from '../service/service.ts'

const READ = 'operations:notifications:read'
const WRITE = 'operations:notifications:write'

async function world() {
  const service = await startService()
  const { administrator, ann, ben } = await people(service)
  const begin = (change: object) =>
    ann.post('/api/oauth/begin_authorization', { ...authorizationQuery([READ]), ...change })
  return {
    service,
    administrator,
    ann,
    ben,
    begin,
    device: stranger(service),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

function errorIn(answer: { readonly body: { readonly redirect_to: string } }): string | null {
  return new URL(answer.body.redirect_to).searchParams.get('error')
}

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

  it('redeemed 20 times at once, in two processes, wins exactly once', async () => {
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

describe('51. each refresh', () => {
  it('gives a new refresh token; the old one revokes the family once the window is over', async () => {
    await using here = await world()
    const client = await grantFor(here.ann, READ)
    const { body } = await client.refresh()

    here.service.clock.advance({ seconds: 31 })
    const replay = await client.refresh()

    assert.notEqual(body.refresh_token, client.tokens.refresh_token)
    assert.equal(replay.body.error, 'invalid_grant')
    assert.equal((await refreshWith(here.ann, body.refresh_token)).body.error, 'invalid_grant')
    assert.equal(await userBehind(here.ann, body.access_token), undefined)
  })
})

describe('52. twenty refreshes at once', () => {
  it('leave a working pair, one family, and no 5xx', async () => {
    await using here = await world()
    const client = await grantFor(here.ann, READ)

    const answers = await Promise.all(Array.from({ length: 20 }, () => client.refresh()))

    assert.ok(answers.every(({ status }) => status === 200))
    assert.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1)
    const last = answers[19]?.body
    assert.equal(await userBehind(here.ann, last?.access_token ?? ''), here.ann.id)
    assert.equal((await refreshWith(here.ann, last?.refresh_token ?? '')).status, 200)
    assert.equal((await here.ann.post('/api/list_grants')).body.total, 1)
  })
})

describe('53. a refresh racing a revocation', () => {
  it('leaves nothing usable once the revocation has returned', async () => {
    await using here = await world()
    for (let round = 0; round < 20; round++) {
      const client = await grantFor(here.ann, READ)
      const [first, , second] = await Promise.all([
        client.refresh(),
        revoke(here.ann, client.tokens.access_token),
        client.refresh(),
      ])

      for (const { status, body } of [first, second]) {
        assert.ok(status === 200 || body.error === 'invalid_grant')
        assert.equal(await userBehind(here.ann, body.access_token), undefined)
        assert.notEqual((await refreshWith(here.ann, body.refresh_token ?? 'none')).status, 200)
      }
    }
  })
})

describe('54. scopes at a refresh', () => {
  it('may be fewer, never more; and refresh tokens have an absolute end', async () => {
    await using here = await world()
    const client = await grantFor(here.ann, READ)

    const wider = await client.refresh(`${READ} ${WRITE}`)
    const same = await client.refresh(READ)
    here.service.clock.advance({ days: 30 })
    const ended = await refreshWith(here.ann, same.body.refresh_token)

    assert.deepEqual([wider.status, wider.body.error], [400, 'invalid_scope'])
    assert.equal(same.status, 200)
    assert.equal(ended.body.error, 'invalid_grant')
  })
})

describe('55. a grant that the user revokes', () => {
  it('is refused on the next call in every process; session and other grants go on', async () => {
    await using here = await world()
    const client = await grantFor(here.ann, READ)
    const other = await grantFor(here.ann, READ)
    const grants = (await here.ann.post('/api/list_grants')).body.items

    await here.ann.post('/api/revoke_grant', { id: grants[1].id })

    const elsewhere = await here.service.requestElsewhere('/api/list_notifications', {
      method: 'POST',
      headers: { authorization: `Bearer ${client.tokens.access_token}` },
    })
    assert.equal(elsewhere.status, 401)
    assert.equal((await client.post('/api/list_notifications')).status, 401)
    assert.equal((await client.refresh()).body.error, 'invalid_grant')
    assert.equal((await other.post('/api/list_notifications')).status, 200)
    assert.equal((await here.ann.get('/api/auth/get-session')).body.user.id, here.ann.id)
  })
})

describe('56. the consent', () => {
  it('names client, origin and scopes, and is asked for each time; each keeps its own scopes', async () => {
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

  it('cannot be given by somebody else, nor from another site', async () => {
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

describe('57. a device', () => {
  it('starts with a form, waits in RFC terms, and gets its tokens exactly once', async () => {
    await using here = await world()
    const { body } = await startDevice(here.device, READ)
    const errors = [(await poll(here.device, body.device_code)).body.error]
    errors.push((await poll(here.device, body.device_code)).body.error)
    here.service.clock.advance({ seconds: 9 })
    errors.push((await poll(here.device, body.device_code)).body.error)
    await decideDevice(here.ann, body.user_code, true)
    const answers = await Promise.all(Array.from({ length: 20 }, () => poll(here.device, body.device_code)))

    assert.deepEqual(errors, ['authorization_pending', 'slow_down', 'slow_down'])
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  it('that is denied, or expires, is told so', async () => {
    await using here = await world()
    const denied = (await startDevice(here.device, READ)).body
    const forgotten = (await startDevice(here.device, READ)).body
    await decideDevice(here.ann, denied.user_code, false)
    const refused = await poll(here.device, denied.device_code)
    here.service.clock.advance({ seconds: 600 })

    assert.equal(refused.body.error, 'access_denied')
    assert.equal((await poll(here.device, forgotten.device_code)).body.error, 'expired_token')
  })
})

describe('58. a user code', () => {
  it('has no vowels or look-alikes, is case- and dash-blind, and is shown before approval', async () => {
    await using here = await world()
    const { user_code, verification_uri_complete } = (await startDevice(here.device, READ)).body
    const typed = user_code.toLowerCase().replace('-', '')

    const begun = await here.ann.post('/api/oauth/begin_authorization', { user_code: typed })
    const shown = await here.ann.post('/api/oauth/get_authorization', begun.body)
    const opened = Object.fromEntries(new URL(verification_uri_complete).searchParams)
    const fromLink = await here.ann.post('/api/oauth/begin_authorization', opened)
    const shownFromLink = await here.ann.post('/api/oauth/get_authorization', fromLink.body)

    assert.doesNotMatch(user_code, /[AEIOUY01258]/)
    assert.deepEqual([shown.body.user_code, shownFromLink.body.user_code], [user_code, user_code])
  })

  it('cannot be guessed', async () => {
    await using here = await world()
    const guess = () => here.ann.post('/api/oauth/begin_authorization', { user_code: 'BCDF-GHJK' })

    const answers = await Promise.all(Array.from({ length: 25 }, guess))

    assert.equal(answers.filter(({ status }) => status === 404).length, 20)
    assert.equal(answers.filter(({ status }) => status === 429).length, 5)
  })
})

describe('59. refusals', () => {
  it('of the token endpoint are 400 or 401 with an error', async () => {
    await using here = await world()
    const ask = (form: Record<string, string>) => postForm(here.device, '/api/oauth/token', form)
    const answers = await Promise.all([
      ask({}),
      ask({ client_id: 'cli-client' }),
      ask({ client_id: 'cli-client', grant_type: 'refresh_token' }),
      ask({ client_id: 'cli-client', grant_type: 'refresh_token', refresh_token: 'ghr_invented' }),
      ask({ client_id: 'cli-client', grant_type: 'authorization_code', code: 'ghc_invented' }),
    ])

    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.error]),
      [
        [401, 'invalid_client'],
        [400, 'invalid_request'],
        [400, 'invalid_request'],
        [400, 'invalid_grant'],
        [400, 'invalid_request'],
      ],
    )
  })

  it('of protected routes carry WWW-Authenticate', async () => {
    await using here = await world()
    const client = await grantFor(here.ann, READ)

    const none = await here.device.post('/api/list_notifications')
    const dead = await here.device.post('/api/list_notifications', {}, { authorization: 'Bearer gha_dead' })
    const lacking = await client.post('/api/read_notification', { id: 'x' })

    const challenge = (answer: { headers: Headers }) => answer.headers.get('www-authenticate')
    assert.deepEqual([none.status, challenge(none)], [401, 'Bearer realm="gatehouse"'])
    assert.deepEqual([dead.status, challenge(dead)], [401, 'Bearer realm="gatehouse", error="invalid_token"'])
    assert.deepEqual(
      [lacking.status, lacking.body.code, challenge(lacking)],
      [403, 'INSUFFICIENT_SCOPE', `Bearer realm="gatehouse", error="insufficient_scope", scope="${WRITE}"`],
    )
  })
})

describe('60. revocation', () => {
  it('of an unknown or foreign token is 200 and changes nothing; introspection needs a secret', async () => {
    await using here = await world()
    const client = await grantFor(here.ann, READ)

    const unknown = await revoke(here.device, 'ghr_invented')
    const session = await revoke(here.device, here.ann.token)
    const introspected = await here.service.request('/api/oauth/introspect', {
      method: 'POST',
      body: new URLSearchParams({ token: client.tokens.access_token }),
    })

    assert.deepEqual([unknown.status, session.status], [200, 200])
    assert.equal((await client.post('/api/list_notifications')).status, 200)
    assert.equal((await here.ann.get('/api/auth/get-session')).body.user.id, here.ann.id)
    assert.equal(introspected.status, 401)
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

describe('62. a token', () => {
  it("without the route's scope is 403; so is the administrator's after demotion, on the next call", async () => {
    await using here = await world()
    const { administrator, ann, service } = here
    const plain = await grantFor(ann, READ)
    const client = await grantFor(administrator, 'admin:notifications:read')
    const before = await client.post('/api/admin/list_notifications')

    await service.platform.meta
      .updateTable('user')
      .set({ role: 'user' })
      .where('id', '=', administrator.id)
      .execute()
    const after = await client.post('/api/admin/list_notifications')

    assert.equal((await plain.post('/api/read_notification', { id: 'x' })).status, 403)
    assert.equal((await plain.post('/api/admin/list_notifications')).status, 403)
    assert.equal(before.status, 200)
    assert.deepEqual([after.status, after.body.code], [403, 'FORBIDDEN'])
    assert.match(after.headers.get('www-authenticate') ?? '', /insufficient_scope/)
  })

  it('with an administrator scope is not to be had by anybody else', async () => {
    await using here = await world()
    const { body } = await here.begin({ scope: 'admin:users:read' })

    const refused = await here.ann.post('/api/oauth/decide_authorization', { ...body, approve: true })

    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])
  })
})

describe("63. a grant's token", () => {
  const ofSessions: readonly Route[] = (routes as readonly Route[]).filter(
    ({ access }) => access === 'session',
  )

  it('with every scope there is opens no route of a session: no grants, consents, passwords, links', async () => {
    await using here = await world()
    const everything = [READ, WRITE, 'account:profile:write', 'admin:users:write', 'config:email:write']
    const client = await grantFor(here.administrator, ...everything)

    assert.ok(ofSessions.length >= 5)
    for (const { path, method } of ofSessions) {
      const authorization = `Bearer ${client.tokens.access_token}`
      const answer = await here.service.request(path, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{}' }),
      })
      assert.equal(answer.status, 403, path)
    }
  })
})

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
