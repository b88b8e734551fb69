import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { people } from '../../../test/service/people.ts'
import { startService } from '../../../test/service/service.ts'

describe('list_product_scopes', () => {
  it('takes a page, and is in the order of the names', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    for (const scope of ['product:reports:write', 'product:boats:read', 'product:reports:read'])
      await administrator.post('/api/admin/declare_product_scope', { scope, description: 'For a test' })

    const pages = await Promise.all(
      [1, 2, 3].map((page) => administrator.post('/api/admin/list_product_scopes', { page, page_size: 2 })),
    )

    const shown = pages.map(({ body }) => [
      body.items.map(({ scope }: { scope: string }) => scope),
      body.total,
    ])
    assert.deepEqual(shown, [
      [['product:boats:read', 'product:reports:read'], 3],
      [['product:reports:write'], 3],
      [[], 3],
    ])
  })
})
