import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { refusal } from '../../service/answers.ts'
import { bearer } from '../../service/applications.ts'
import { grantFor } from '../../service/grants.ts'
import { it } from '../../service/it.ts'
import type { Person } from '../../service/people.ts'

const READ = 'operations:notifications:read'

const WANTED = { name: 'CI', scopes: [READ], expires_in_days: 30 }

const create = (person: Person, fields: object = {}, headers = {}) =>
  person.post('/api/create_personal_token', { ...WANTED, ...fields }, headers)

const callWith = (person: Person, token: string) => person.post('/api/list_notifications', {}, bearer(token))

describe('a personal access token', () => {
  it('does what its scopes say until its end, is shown once, and is listed with its last use', async ({
    service,
    ann,
  }) => {
    const { body: made } = await create(ann)
    const rows = await service.platform.meta.selectFrom('access_token').selectAll().execute()
    const used = await callWith(ann, made.token)
    const beyond = await ann.post('/api/submit_feedback', { type: 'a', content: 'b' }, bearer(made.token))
    const { body: listed } = await ann.post('/api/list_personal_tokens')
    const { body: connections } = await ann.post('/api/list_grants')
    service.clock.advance({ days: 30 })
    const ended = await callWith(ann, made.token)

    assert.match(made.token, /^ghp_[\w-]{43}$/)
    assert.ok(!JSON.stringify(rows).includes(made.token))
    assert.deepEqual([used.status, beyond.status, ended.status], [200, 403, 401])
    const [{ id, name, scopes, status, last_used_at, ...times }] = listed.items
    assert.deepEqual(Object.keys(times), ['created_at', 'expires_at'])
    assert.deepEqual([id, name, scopes, status], [made.id, 'CI', [READ], 'active'])
    assert.equal(last_used_at, made.expires_at - 30 * 86_400_000)
    assert.doesNotMatch(JSON.stringify(listed), /ghp_/)
    assert.equal(connections.total, 0)
  })

  it('is a new one for each request, also with the same Idempotency-Key: the response is not stored', async ({
    service,
    ann,
  }) => {
    const send = () => create(ann, {}, { 'idempotency-key': 'once' })

    const first = await send()
    const second = await send()
    const { body: listed } = await ann.post('/api/list_personal_tokens')
    const kept = await service.platform.meta.selectFrom('idempotency_keys').selectAll().execute()

    assert.deepEqual([first.status, second.status, listed.total], [200, 200, 2])
    assert.notEqual(first.body.token, second.body.token)
    assert.deepEqual(kept, [])
  })

  it('is made by a fresh session alone, with scopes that its owner has', async ({ service, ann }) => {
    const tool = await grantFor(ann, READ)
    const { body: made } = await create(ann)

    const refused = [
      await create(ann, { scopes: ['admin:users:read'] }),
      await create(ann, { scopes: ['openid'] }),
      await create(ann, { scopes: ['product:reports:read'] }),
      await create(ann, { scopes: [] }),
      await create(ann, { expires_in_days: 367 }),
      await tool.post('/api/create_personal_token', WANTED),
      await create(ann, {}, bearer(made.token)),
      await ann.post('/api/revoke_personal_token', { id: made.id }, bearer(made.token)),
    ]
    service.clock.advance({ minutes: 16 })
    const stale = await create(ann)

    const [forbidden, invalid] = [
      [403, 'FORBIDDEN'],
      [400, 'INVALID_REQUEST'],
    ]
    const expected = [forbidden, ...Array(4).fill(invalid), ...Array(3).fill(forbidden)]
    assert.deepEqual(refused.map(refusal), expected)
    assert.deepEqual(refusal(stale), [403, 'SESSION_NOT_FRESH'])
  })

  it('ends with everything that ends a user’s access, and at once if its owner revokes it', async ({
    administrator,
    ann,
    ben,
  }) => {
    const works = async (token: string) => (await callWith(ann, token)).status === 200
    const { password } = ann
    const changed = { currentPassword: password, newPassword: password, revokeOtherSessions: true }
    const acts: readonly (readonly [Person, string, (id: string) => object])[] = [
      [ann, 'revoke_personal_token', (id) => ({ id })],
      [ann, 'auth/revoke-other-sessions', () => ({ tools: true })],
      [ann, 'auth/change-password', () => changed],
      [administrator, 'admin/revoke_user_grant', (id) => ({ user_id: ann.id, id })],
      [ann, 'auth/revoke-sessions', () => ({})],
      [administrator, 'admin/revoke_user_sessions', () => ({ id: ann.id })],
      [ann, 'auth/delete-user', () => ({ password })],
    ]

    const { body: foreign } = await create(ann)
    assert.equal((await ben.post('/api/revoke_personal_token', { id: foreign.id })).status, 404)
    assert.equal(await works(foreign.token), true)
    for (const [person, path, body] of acts) {
      await ann.signIn()
      const { id, token } = (await create(ann)).body
      assert.equal(await works(token), true, path)
      await person.post(`/api/${path}`, body(id))
      assert.equal(await works(token), false, path)
    }
  })
})
