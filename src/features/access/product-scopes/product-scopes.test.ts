import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { grantFor } from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'

describe('list_product_scopes', () => {
  it('lists them for every user, who can give them to an access token, and for no program', async ({
    administrator,
    ann,
  }) => {
    const declared = { scope: 'product:reports:read', description: 'Read your reports' }
    await administrator.post('/api/admin/declare_product_scope', declared)
    const tool = await grantFor(ann, 'account:profile:read')

    const shown = await ann.post('/api/list_product_scopes')
    const program = await tool.post('/api/list_product_scopes')

    assert.deepEqual(shown.body, { items: [declared], total: 1 })
    assert.equal(program.status, 403)
  })

  it('is in pages, in the order of the names', async ({ administrator }) => {
    for (const scope of ['product:reports:write', 'product:boats:read', 'product:reports:read'])
      await administrator.post('/api/admin/declare_product_scope', { scope, description: 'For a test' })

    const pages = await Promise.all(
      [1, 2, 3].map((page) => administrator.post('/api/admin/list_product_scopes', { page, page_size: 2 })),
    )

    const shown = pages.map(({ body }) => [body.items.map(({ scope }: { scope: string }) => scope), body.total])
    assert.deepEqual(shown, [
      [['product:boats:read', 'product:reports:read'], 3],
      [['product:reports:write'], 3],
      [[], 3],
    ])
  })
})

describe('declare_product_scope', () => {
  it('accepts at most 500 scopes, also from simultaneous requests, and still changes descriptions when it is full', async ({
    service,
    administrator,
  }) => {
    const { meta } = service.platform
    const declared = Array.from({ length: 497 }, (_, i) => {
      return { scope: `product:area-${i}:read`, description: 'For a test', created_at: 1 }
    })
    await meta.insertInto('product_scope').values(declared).execute()
    const declare = (scope: string, description = 'One more') =>
      administrator.post('/api/admin/declare_product_scope', { scope, description })

    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => declare(`product:more-${i}:write`)))
    const again = await declare('product:area-0:read', 'In other words')
    await administrator.post('/api/admin/delete_product_scope', { scope: 'product:area-1:read' })
    const inItsPlace = await declare('product:other:read')

    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 7)
    for (const answer of refused) assertRefused(answer, 'QUOTA_EXCEEDED')
    assert.deepEqual([again.status, inItsPlace.status], [200, 200])
  })
})
