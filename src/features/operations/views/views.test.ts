import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, eachOf } from '../../../../test/service/answers.ts'
import { it } from '../../../../test/service/it.ts'

const view = { list: 'users', name: 'Never confirmed', filters: { status: 'unverified', search: 'müller' } }

describe('a saved view', () => {
  it('replaces the view of the same list and name, and is gone when it is deleted', async ({ administrator }) => {
    const { id } = (await administrator.post('/api/admin/save_view', view)).body
    await administrator.post('/api/admin/save_view', { ...view, list: 'audit', filters: {} })
    const again = await administrator.post('/api/admin/save_view', { ...view, filters: { status: 'active' } })
    const { items, total } = (await administrator.post('/api/admin/list_views')).body
    await administrator.post('/api/admin/delete_view', { id })
    const left = await administrator.post('/api/admin/list_views')

    assert.equal(again.body.id, id)
    assert.equal(total, 2)
    assert.deepEqual(
      items.map(({ created_at: _, id: __, ...shown }: Record<string, unknown>) => shown),
      [
        { ...view, list: 'audit', filters: {} },
        { ...view, filters: { status: 'active' } },
      ],
    )
    assert.deepEqual(eachOf(left, 'list'), ['audit'])
    assertRefused(await administrator.post('/api/admin/delete_view', { id }), 'NOT_FOUND')
  })

  it('needs the administrator, a list that exists and one of a hundred places', async ({ administrator, ann }) => {
    const save = (index: number) => administrator.post('/api/admin/save_view', { ...view, name: `View ${index}` })
    for (let i = 0; i < 100; i += 1) assert.equal((await save(i)).status, 200)

    assertRefused(await save(100), 'QUOTA_EXCEEDED')
    assert.equal((await save(99)).status, 200)
    assertRefused(await ann.post('/api/admin/list_views'), 'FORBIDDEN')
    const foreign = await administrator.post('/api/admin/save_view', { ...view, list: 'secrets' })
    assertRefused(foreign, 'INVALID_REQUEST', 'list')
  })

  it('is one of a hundred at most, however many are saved at once', async ({ administrator }) => {
    const save = (index: number) => administrator.post('/api/admin/save_view', { ...view, name: `View ${index}` })
    for (let i = 0; i < 98; i += 1) await save(i)

    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => save(100 + i)))

    assert.equal(answers.filter(({ status }) => status === 200).length, 2)
    assert.equal((await administrator.post('/api/admin/list_views')).body.total, 100)
  })
})
