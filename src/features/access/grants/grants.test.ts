import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { refusal, statuses } from '../../../../test/service/answers.ts'
import { bearer } from '../../../../test/service/applications.ts'
import { grantFor, postForm, refreshWith, revoke, startDevice, userBehind } from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'
import { type Person, stranger } from '../../../../test/service/people.ts'

const SCOPE = 'operations:notifications:read'

describe('list_grants', () => {
  it('shows the user’s own grants, newest first, with their state', async ({ service, ann, ben }) => {
    const made = service.clock.now()
    const older = await grantFor(ann, SCOPE)
    service.clock.advance({ minutes: 1 })
    await grantFor(ann, 'account:profile:read')
    await grantFor(ben, SCOPE)
    await revoke(ann, older.tokens.access_token)

    const { status, body } = await ann.post('/api/list_grants')

    assert.deepEqual([status, body.total, body.items[0].status], [200, 2, 'active'])
    const { id, expires_at, ...oldest } = body.items[1]
    assert.equal(expires_at, made + 30 * 24 * 3_600_000)
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.deepEqual(oldest, {
      client_name: 'Command-line client',
      client_domain: null,
      daily_limit: null,
      approval: 'none',
      acting_services: [],
      kind: 'tool',
      target_origin: service.config.baseUrl,
      scopes: [SCOPE],
      status: 'revoked',
      created_at: made,
      last_used_at: null,
      revoked_at: made + 60_000,
    })
  })

  it('is in pages, which together hold every grant once', async ({ ann }) => {
    for (let made = 0; made < 23; made++) await grantFor(ann, SCOPE)
    const list = async (page: object) => (await ann.post('/api/list_grants', page)).body

    const [first, second, beyond] = [await list({}), await list({ page: 2 }), await list({ page: 3 })]
    const small = await list({ page: 5, page_size: 5 })
    const [oldest] = second.items.slice(-1)
    const revoked = await ann.post('/api/revoke_grant', { id: oldest.id })

    const pages = [first, second, beyond, small]
    assert.deepEqual(
      pages.map(({ items, total }) => `${items.length} of ${total}`).join(),
      '20 of 23,3 of 23,0 of 23,3 of 23',
    )
    const ids = [...first.items, ...second.items].map(({ id }: { id: string }) => id)
    assert.equal(new Set(ids).size, 23)
    assert.deepEqual(small.items, second.items)
    assert.equal(revoked.status, 200)
    assert.equal((await list({ page: 2 })).items.at(-1).status, 'revoked')
  })

  it('says when a grant was last used, and that it has ended unused', async ({ service, ann }) => {
    const client = await grantFor(ann, SCOPE)
    service.clock.advance({ minutes: 2 })
    await userBehind(ann, client.tokens.access_token)
    const used = (await ann.post('/api/list_grants')).body.items[0]
    const { session } = (await ann.get('/api/auth/get-session', bearer(client.tokens.access_token))).body

    service.clock.advance({ days: 30 })
    await ann.signIn()
    const ended = (await ann.post('/api/list_grants')).body.items[0]

    assert.equal(used.last_used_at, used.created_at + 120_000)
    const times = [session.createdAt, session.updatedAt].map(Date.parse)
    assert.deepEqual(times, [used.created_at, used.created_at], 'a holder of the token sees no one else’s use')
    assert.equal(ended.status, 'expired')
  })
})

describe('55. a grant that the user revokes', () => {
  it('is refused on the next call in every process, and every refresh token; nothing else ends', async ({
    service,
    ann,
  }) => {
    const client = await grantFor(ann, SCOPE)
    const refreshed = await client.refresh()
    const other = await grantFor(ann, SCOPE)
    const [, { id }] = (await ann.post('/api/list_grants')).body.items
    const elsewhere = stranger({ ...service, request: service.requestElsewhere })
    const call = (person: Person, token: string) => person.post('/api/list_notifications', {}, bearer(token))
    assert.equal((await call(elsewhere, refreshed.body.access_token)).status, 200)

    const revoked = await ann.post('/api/revoke_grant', { id })

    assert.deepEqual([revoked.status, revoked.body], [200, {}])
    const ended = [client.tokens.access_token, refreshed.body.access_token]
    for (const person of [ann, elsewhere])
      for (const token of ended) assert.equal((await call(person, token)).status, 401)
    assert.equal(await userBehind(ann, refreshed.body.access_token), undefined)
    for (const token of [client.tokens.refresh_token, refreshed.body.refresh_token])
      assert.equal((await refreshWith(ann, token)).body.error, 'invalid_grant')
    assert.equal((await call(elsewhere, other.tokens.access_token)).status, 200)
    assert.equal(await userBehind(ann, other.tokens.access_token), ann.id)
    assert.equal((await ann.get('/api/auth/get-session')).body.user.id, ann.id)
  })

  it('is 404 for another user, and can be revoked again', async ({ ann, ben }) => {
    const client = await grantFor(ann, SCOPE)
    const [{ id }] = (await ann.post('/api/list_grants')).body.items

    const byBen = await ben.post('/api/revoke_grant', { id })
    assert.equal(await userBehind(ann, client.tokens.access_token), ann.id)
    await ann.post('/api/revoke_grant', { id })
    const again = await ann.post('/api/revoke_grant', { id })

    assert.deepEqual([...refusal(byBen), again.status], [404, 'NOT_FOUND', 200])
  })
})

describe('60. revocation by the client', () => {
  it('ends the whole grant, whichever token is given', async ({ ann }) => {
    const byAccess = await grantFor(ann, SCOPE)
    const byRefresh = await grantFor(ann, SCOPE)

    const answers = await Promise.all([
      revoke(ann, byAccess.tokens.access_token),
      revoke(ann, byRefresh.tokens.refresh_token),
    ])

    assert.deepEqual(statuses(answers), [200, 200])
    for (const client of [byAccess, byRefresh]) {
      assert.equal(await userBehind(ann, client.tokens.access_token), undefined)
      assert.equal((await client.refresh()).body.error, 'invalid_grant')
    }
  })

  it('of an unknown token, or a session, is 200 and changes nothing; introspection needs a secret', async ({
    service,
    ann,
  }) => {
    const device = stranger(service)
    const client = await grantFor(ann, SCOPE)

    const answers = [
      await revoke(device, 'gha_invented'),
      await revoke(device, 'ghr_invented'),
      await revoke(device, ann.token),
      await postForm(device, '/api/oauth/introspect', { token: client.tokens.access_token }),
    ]

    assert.deepEqual(statuses(answers), [200, 200, 200, 401])
    assert.equal((await client.post('/api/list_notifications')).status, 200)
    assert.equal((await ann.get('/api/auth/get-session')).body.user.id, ann.id)
  })
})

describe('the sweep', () => {
  it('deletes what ended 90 days ago, and keeps what is active', async ({ service, ann }) => {
    await startDevice(stranger(service), SCOPE)
    const ended = await grantFor(ann, SCOPE)
    await revoke(ann, ended.tokens.access_token)
    service.clock.advance({ days: 90, milliseconds: -1 })
    await ann.signIn()
    const client = await grantFor(ann, SCOPE)
    await service.runJob('grants-sweep')
    assert.equal((await ann.post('/api/list_grants')).body.total, 2)
    service.clock.advance({ milliseconds: 1 })

    await service.runJob('grants-sweep')

    const { meta } = service.platform
    for (const table of ['authorization_request', 'api_grant', 'access_token', 'refresh_token'] as const)
      assert.equal((await meta.selectFrom(table).selectAll().execute()).length, 1, table)
    assert.equal(await userBehind(ann, client.tokens.access_token), ann.id)
  })
})

describe('the audit log', () => {
  it('names consent, grant and revocation, and no token', async ({ service, ann }) => {
    const client = await grantFor(ann, SCOPE)
    await revoke(ann, client.tokens.access_token)

    const entries = await service.platform.meta
      .selectFrom('event')
      .selectAll()
      .where('actor_id', '=', ann.id)
      .orderBy('id')
      .execute()

    const actions = entries.map(({ action }) => action)
    for (const action of ['authorization.approved', 'grant.made', 'grant.revoked']) {
      assert.ok(actions.includes(action), action)
    }
    const made = entries.filter(({ action }) => action === 'grant.made')
    assert.deepEqual(
      made.map(({ type, details }) => [type, JSON.parse(details)]),
      [['grant.created', { scopes: [SCOPE], client: 'Command-line client' }]],
    )
    assert.doesNotMatch(JSON.stringify(entries), /gh[acr]_/)
  })
})
