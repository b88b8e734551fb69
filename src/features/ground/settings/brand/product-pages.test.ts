import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../../../test/service/it.ts'

const LISTED = 'https://app.product.example'
/** The longest origin that is accepted. */
const OTHER = `https://${'x'.repeat(284)}.example`

describe('list_product_pages', () => {
  it.override('settings', { brand: { return_origins: [LISTED] } })

  it('says when a page of each origin last loaded the elements, and which other origin did', async ({
    service,
    administrator,
  }) => {
    const load = (origin: string) => service.request('/elements.js', { headers: { origin } })
    const list = async () => (await administrator.post('/api/admin/list_product_pages')).body
    const before = await list()

    for (const origin of [LISTED, 'null', 'javascript:alert(1)', OTHER, `${OTHER}x`]) await load(origin)
    await service.runJob('product-pages')
    const first = service.clock.now()
    service.clock.advance({ minutes: 2 })
    await load(LISTED)
    await service.runJob('product-pages')

    assert.deepEqual(before.items, [{ origin: LISTED, is_listed: true, seen_at: null }])
    assert.deepEqual(await list(), {
      items: [
        { origin: LISTED, is_listed: true, seen_at: service.clock.now() },
        { origin: OTHER, is_listed: false, seen_at: first },
      ],
      total: 2,
    })
  })

  it('writes once a minute for an origin, however often its pages are loaded, and forgets it after 30 days', async ({
    service,
    administrator,
  }) => {
    const load = async () => {
      await service.request('/elements.js', { headers: { origin: LISTED } })
      await service.runJob('product-pages')
    }

    await load()
    const first = service.clock.now()
    service.clock.advance({ seconds: 30 })
    await load()

    const seenAt = async () => (await administrator.post('/api/admin/list_product_pages')).body.items[0].seen_at
    service.clock.advance({ days: 30, seconds: -31 })
    const last = await seenAt()
    service.clock.advance({ seconds: 1 })
    assert.deepEqual([last, await seenAt()], [first, null])
  })
})
