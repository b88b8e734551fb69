import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { routes } from '../../../src/app.ts'
import type { Route } from '../../../src/http/route.ts'
import { grantFor, postForm, refreshWith, revoke, userBehind } from '../../service/grants.ts'
import { READ, WRITE, world } from '../support/oauth.ts'

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

  it('with an administrator scope is not available to any other user', async () => {
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
