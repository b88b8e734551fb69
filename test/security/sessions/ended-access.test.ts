import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { whoIs } from '../../providers/journey.ts'
import { grantFor, userBehind } from '../../service/grants.ts'
import { it } from '../../service/it.ts'
import { Person } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { assertOut, moveIn } from '../support/moving-in.ts'

const NEW_PASSWORD = 'a quieter walk in the snow'

describe('checklist 68: what ends access ends tools too', () => {
  const ways: readonly {
    readonly name: string
    readonly end: (w: { service: Service; ann: Person; administrator: Person }) => Promise<unknown>
  }[] = [
    {
      name: 'change-password with revokeOtherSessions',
      end: ({ ann }) =>
        ann.post('/api/auth/change-password', {
          currentPassword: ann.password,
          newPassword: NEW_PASSWORD,
          revokeOtherSessions: true,
        }),
    },
    { name: 'revoke-sessions', end: ({ ann }) => ann.post('/api/auth/revoke-sessions') },
    {
      name: 'revoke-other-sessions with tools',
      end: ({ ann }) => ann.post('/api/auth/revoke-other-sessions', { tools: true }),
    },
    {
      name: 'admin/revoke_user_sessions',
      end: ({ ann, administrator }) => administrator.post('/api/admin/revoke_user_sessions', { id: ann.id }),
    },
  ]

  for (const { name, end } of ways) {
    it(`checklist 68: ${name}`, async ({ service, ann, administrator }) => {
      const elsewhere = new Person(service, ann.email, ann.password)
      await elsewhere.signIn()
      const held = await moveIn(elsewhere)

      await end({ service, ann, administrator })

      await assertOut(service, elsewhere, held)
    })
  }

  it('revoke-other-sessions alone leaves tools, and this session, as they are', async ({ service, ann }) => {
    const tool = await grantFor(ann, 'account:profile:read')
    const elsewhere = new Person(service, ann.email, ann.password)
    await elsewhere.signIn()

    await ann.post('/api/auth/revoke-other-sessions')

    assert.equal(await whoIs(elsewhere), undefined)
    assert.equal((await whoIs(ann)).id, ann.id)
    assert.equal(await userBehind(ann, tool.tokens.access_token), ann.id)
  })

  it('other users keep theirs', async ({ ann, ben }) => {
    const tool = await grantFor(ben, 'account:profile:read')

    await ann.post('/api/auth/revoke-sessions')

    assert.equal((await whoIs(ben)).id, ben.id)
    assert.equal(await userBehind(ben, tool.tokens.access_token), ben.id)
  })
})

describe("the administrator's view of a user's connections", () => {
  it('lists and ends them, in the administrator’s name', async ({ ann, ben, administrator }) => {
    const tool = await grantFor(ann, 'account:profile:read')

    const listed = await administrator.post('/api/admin/list_user_grants', { user_id: ann.id })
    const [grant] = listed.body.items
    const foreign = await administrator.post('/api/admin/revoke_user_grant', {
      user_id: ben.id,
      id: grant.id,
    })
    const ended = await administrator.post('/api/admin/revoke_user_grant', { user_id: ann.id, id: grant.id })

    assert.deepEqual([listed.body.total, grant.status], [1, 'active'])
    assert.deepEqual([foreign.status, ended.status], [404, 200])
    assert.equal(await userBehind(ann, tool.tokens.access_token), undefined)
    const log = await administrator.post('/api/admin/list_audit_entries', { action: 'grant.revoked' })
    assert.equal(log.body.items[0].actor_id, administrator.id)
  })

  it('is closed to others', async ({ ann, ben }) => {
    const listed = await ben.post('/api/admin/list_user_grants', { user_id: ann.id })
    const ended = await ben.post('/api/admin/revoke_user_grant', { user_id: ann.id, id: crypto.randomUUID() })

    assert.deepEqual([listed.status, ended.status], [403, 403])
  })

  it('is 404 for a user that does not exist', async ({ administrator }) => {
    assert.equal((await administrator.post('/api/admin/list_user_grants', { user_id: 'nobody' })).status, 404)
    assert.equal((await administrator.post('/api/admin/list_user_grants', {})).status, 400)
  })
})
