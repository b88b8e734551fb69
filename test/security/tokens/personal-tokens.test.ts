import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { bearer } from '../../service/applications.ts'
import { grantFor } from '../../service/grants.ts'
import { it } from '../../service/it.ts'
import type { Person } from '../../service/people.ts'

const READ = 'operations:notifications:read'

function create(person: Person, fields: Readonly<Record<string, unknown>> = {}) {
  return person.post('/api/create_personal_token', {
    name: 'CI',
    scopes: [READ],
    expires_in_days: 30,
    ...fields,
  })
}

describe('a personal access token', () => {
  it('does what its scopes say until its end, is shown once, and is listed with its last use', async ({
    service,
    ann,
  }) => {
    const { body: made } = await create(ann)
    const rows = await service.platform.meta.selectFrom('access_token').selectAll().execute()
    const used = await ann.post('/api/list_notifications', {}, bearer(made.token))
    const beyond = await ann.post('/api/submit_feedback', { type: 'a', content: 'b' }, bearer(made.token))
    const { body: listed } = await ann.post('/api/list_personal_tokens')
    const { body: connections } = await ann.post('/api/list_grants')
    service.clock.advance({ days: 30 })
    const ended = await ann.post('/api/list_notifications', {}, bearer(made.token))

    assert.match(made.token, /^ghp_[\w-]{43}$/)
    assert.ok(!JSON.stringify(rows).includes(made.token))
    assert.deepEqual([used.status, beyond.status, ended.status], [200, 403, 401])
    const [{ id, name, scopes, status, last_used_at }] = listed.items
    assert.deepEqual([id, name, scopes, status], [made.id, 'CI', [READ], 'active'])
    assert.equal(last_used_at, made.expires_at - 30 * 86_400_000)
    assert.doesNotMatch(JSON.stringify(listed), /ghp_/)
    assert.equal(connections.total, 0)
  })

  it('is a new one for each request, also with the same Idempotency-Key: the response is not stored', async ({
    service,
    ann,
  }) => {
    const input = { name: 'CI', scopes: [READ], expires_in_days: 30 }
    const send = () => ann.post('/api/create_personal_token', input, { 'idempotency-key': 'once' })

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
    const body = { name: 'CI', scopes: [READ], expires_in_days: 30 }

    const refused = [
      await create(ann, { scopes: ['admin:users:read'] }),
      await create(ann, { scopes: ['openid'] }),
      await create(ann, { scopes: ['product:reports:read'] }),
      await create(ann, { scopes: [] }),
      await create(ann, { expires_in_days: 367 }),
      await tool.post('/api/create_personal_token', body),
      await ann.post('/api/create_personal_token', body, bearer(made.token)),
      await ann.post('/api/revoke_personal_token', { id: made.id }, bearer(made.token)),
    ]
    service.clock.advance({ minutes: 16 })
    const stale = await create(ann)

    const codes = refused.map(({ body: { code } }) => code)
    assert.deepEqual(codes, [
      'FORBIDDEN',
      ...Array.from({ length: 4 }, () => 'INVALID_REQUEST'),
      ...Array.from({ length: 3 }, () => 'FORBIDDEN'),
    ])
    assert.deepEqual([stale.status, stale.body.code], [403, 'SESSION_NOT_FRESH'])
  })

  it('ends with everything that ends a user’s access, and at once if its owner revokes it', async ({
    administrator,
    ann,
    ben,
  }) => {
    const works = async (token: string) =>
      (await ann.post('/api/list_notifications', {}, bearer(token))).status === 200
    const made = async () => (await create(ann)).body
    const acts: readonly (readonly [string, (id: string) => Promise<unknown>])[] = [
      ['revoke_personal_token', (id) => ann.post('/api/revoke_personal_token', { id })],
      [
        'revoke-other-sessions with tools',
        () => ann.post('/api/auth/revoke-other-sessions', { tools: true }),
      ],
      [
        'change-password',
        () =>
          ann.post('/api/auth/change-password', {
            currentPassword: ann.password,
            newPassword: ann.password,
            revokeOtherSessions: true,
          }),
      ],
      [
        'admin/revoke_user_grant',
        (id) => administrator.post('/api/admin/revoke_user_grant', { user_id: ann.id, id }),
      ],
      ['revoke-sessions', () => ann.post('/api/auth/revoke-sessions')],
      [
        'admin/revoke_user_sessions',
        () => administrator.post('/api/admin/revoke_user_sessions', { id: ann.id }),
      ],
      ['delete-user', () => ann.post('/api/auth/delete-user', { password: ann.password })],
    ]

    const foreign = await made()
    assert.equal((await ben.post('/api/revoke_personal_token', { id: foreign.id })).status, 404)
    assert.equal(await works(foreign.token), true)
    for (const [name, end] of acts) {
      await ann.signIn()
      const { id, token } = await made()
      assert.equal(await works(token), true, name)
      await end(id)
      assert.equal(await works(token), false, name)
    }
  })
})
