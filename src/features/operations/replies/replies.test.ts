import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, eachOf } from '../../../../test/service/answers.ts'
import { it } from '../../../../test/service/it.ts'

const thanks = { name: 'Thanks', text: 'Thank you. We will look at it.' }

describe('a saved reply', () => {
  it('replaces its namesake, stands by its name, and is gone when it is deleted', async ({ administrator }) => {
    const { id } = (await administrator.post('/api/admin/save_reply', thanks)).body
    await administrator.post('/api/admin/save_reply', { name: 'Fixed', text: 'It is fixed now.' })
    const again = await administrator.post('/api/admin/save_reply', { ...thanks, text: 'Thank you.' })
    const { items, total } = (await administrator.post('/api/admin/list_replies')).body
    await administrator.post('/api/admin/delete_reply', { id })

    assert.equal(again.body.id, id)
    assert.equal(total, 2)
    assert.deepEqual(
      items.map(({ name, text }: typeof thanks) => [name, text]),
      [
        ['Fixed', 'It is fixed now.'],
        ['Thanks', 'Thank you.'],
      ],
    )
    assert.deepEqual(eachOf(await administrator.post('/api/admin/list_replies'), 'name'), ['Fixed'])
    assertRefused(await administrator.post('/api/admin/delete_reply', { id }), 'NOT_FOUND')
  })

  it('needs a name, a text, and one of a hundred places, however many are saved at once', async ({ administrator }) => {
    const save = (index: number) => administrator.post('/api/admin/save_reply', { ...thanks, name: `Reply ${index}` })
    for (let i = 0; i < 98; i += 1) assert.equal((await save(i)).status, 200)
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => save(100 + i)))

    assert.equal(answers.filter(({ status }) => status === 200).length, 2)
    assertRefused(await save(200), 'QUOTA_EXCEEDED')
    assert.equal((await save(0)).status, 200)
    const empty = await administrator.post('/api/admin/save_reply', { ...thanks, text: ' ' })
    assertRefused(empty, 'INVALID_REQUEST', 'text')
  })
})
