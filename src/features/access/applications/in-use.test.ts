import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { register, tokensFor } from '../../../../test/service/applications.ts'
import { it } from '../../../../test/service/it.ts'

describe('get_application', () => {
  it('returns the application, the number of its users, and its latest sign-ins, newest first', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const shop = await register(administrator, { scopes: ['openid', 'offline_access'] })
    const other = await register(administrator, { scopes: ['openid'] })
    const later = () => {
      service.clock.advance({ seconds: 1 })
      return service.clock.now()
    }
    const get = async ({ id }: { readonly id: string }) =>
      (await administrator.post('/api/admin/get_application', { id })).body

    const before = await get(shop)
    const first = later()
    await tokensFor(ann, shop, { scope: 'openid offline_access' })
    const second = later()
    await tokensFor(ben, shop, { scope: 'openid' })
    const third = later()
    await tokensFor(ann, shop, { scope: 'openid offline_access' })
    const { users, sign_ins, ...application } = await get(shop)
    const listed = (await administrator.post('/api/admin/list_applications')).body.items
    const unused = await get(other)
    const unknown = await administrator.post('/api/admin/get_application', { id: 'nobody' })

    assert.deepEqual([before.users, before.sign_ins], [0, []])
    assert.deepEqual(
      application,
      listed.find(({ id }: { readonly id: string }) => id === shop.id),
    )
    assert.equal(users, 2)
    assert.deepEqual(sign_ins, [
      { user_id: ann.id, email: ann.email, at: third },
      { user_id: ben.id, email: ben.email, at: second },
      { user_id: ann.id, email: ann.email, at: first },
    ])
    assert.deepEqual([unused.users, unused.sign_ins], [0, []])
    assertRefused(unknown, 'NOT_FOUND')
  })

  it('shows the ten latest, also where access that is renewed outlives a sign-in without it', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const shop = await register(administrator, { scopes: ['openid', 'offline_access'] })
    await tokensFor(ann, shop, { scope: 'openid' })
    const { meta } = service.platform
    const row = await meta
      .selectFrom('api_grant')
      .selectAll()
      .where('client_id', '=', shop.id)
      .executeTakeFirstOrThrow()
    const renewed = Array.from({ length: 250 }, (_, number) => ({
      ...row,
      id: `renewed-${number}`,
      created_at: row.created_at - 1000 - number,
      expires_at: row.created_at + 20 * 86_400_000 + number,
      is_offline: 1 as const,
    }))
    await meta.insertInto('api_grant').values(renewed).execute()
    service.clock.advance({ seconds: 1 })

    await tokensFor(ben, shop, { scope: 'openid' })
    const { body } = await administrator.post('/api/admin/get_application', { id: shop.id })

    assert.equal(body.sign_ins.length, 10)
    assert.deepEqual(
      body.sign_ins.slice(0, 2).map(({ user_id }: { readonly user_id: string }) => user_id),
      [ben.id, ann.id],
    )
  })
})
