import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { submitted } from '../../../../test/service/feedback.ts'
import { it } from '../../../../test/service/it.ts'

describe('submit_feedback', () => {
  it('keeps where it came from', async ({ ann, administrator }) => {
    const context = { page: 'https://product.example/prices?a=1', ['x'.repeat(32)]: '2.1' }

    await ann.post('/api/submit_feedback', { type: 'idea', content: 'Cheaper', context })

    const { body } = await administrator.post('/api/admin/list_feedbacks')
    assert.deepEqual(body.items[0].context, context)
  })

  it.for([
    ['more than 2 KB', { page: 'x'.repeat(2_048) }],
    ['a name with capitals', { Page: 'x' }],
    ['a long name', { ['x'.repeat(33)]: 'x' }],
    ['an empty name', { '': 'x' }],
    ['a number', { page: 1 }],
    ['something nested', { page: { path: '/' } }],
  ] as const)('refuses a context with %s', async ([, context], { ann }) => {
    const sent = { type: 'idea', content: 'Hello', context }

    assertRefused(await ann.post('/api/submit_feedback', sent), 'INVALID_REQUEST')
  })
})

describe('reply_to_feedback', () => {
  it('is a notification for the sender, and beside the feedback in their list', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    await submitted(ben, 'Not yours')
    const id = await submitted(ann, 'Cheaper')
    const answer = { id, user_id: ann.id, text: 'Soon.' }

    const replied = await administrator.post('/api/admin/reply_to_feedback', answer)

    const { body: own } = await ann.post('/api/list_own_feedbacks')
    const { body: notifications } = await ann.post('/api/list_notifications')
    const at = service.clock.now()
    assert.deepEqual([replied.body.reply, replied.body.replied_at], ['Soon.', at])
    assert.deepEqual(own, {
      items: [
        {
          ...{ id, type: 'idea', content: 'Cheaper', status: 'new', context: {} },
          ...{ reply: 'Soon.', replied_at: at, created_at: own.items[0].created_at },
        },
      ],
      total: 1,
    })
    assert.deepEqual([notifications.items[0].type, notifications.items[0].content], ['reply', 'Soon.'])
    assert.equal((await ben.post('/api/list_notifications')).body.total, 0)
  })

  it('with a key is sent once, and is recorded in the audit log', async ({ service, administrator, ann }) => {
    const id = await submitted(ann)
    const answer = { id, user_id: ann.id, text: 'Soon.' }

    for (let i = 0; i < 2; i++)
      await administrator.post('/api/admin/reply_to_feedback', answer, { 'idempotency-key': 'one' })

    await service.runJob('events')
    const { body: log } = await administrator.post('/api/admin/list_audit_entries', {
      action: 'feedback.reply',
    })
    assert.deepEqual([log.total, log.items[0].subject_id], [1, id])
    assert.equal((await ann.post('/api/list_notifications')).body.total, 1)
  })

  it('refuses an unknown feedback, another user’s and an empty text', async ({ administrator, ann, ben }) => {
    const id = await submitted(ann)
    const reply = (extra: object) =>
      administrator.post('/api/admin/reply_to_feedback', { id, user_id: ann.id, text: 'Soon.', ...extra })

    assertRefused(await reply({ id: 'none' }), 'NOT_FOUND')
    assertRefused(await reply({ user_id: ben.id }), 'NOT_FOUND')
    assertRefused(await reply({ user_id: 'nobody' }), 'NOT_FOUND')
    assertRefused(await reply({ text: ' ' }), 'INVALID_REQUEST', 'text')
  })
})

it('a download has context, answers and preferences', async ({ administrator, ann }) => {
  const sent = { type: 'idea', content: 'Cheaper', context: { page: '/prices' } }
  const { body } = await ann.post('/api/submit_feedback', sent)
  await administrator.post('/api/admin/reply_to_feedback', { id: body.id, user_id: ann.id, text: 'Soon.' })
  await ann.post('/api/update_notification_preferences', { items: [{ type: 'news', email: 'off' }] })

  const { body: data } = await ann.post('/api/export_account')

  const [{ context, reply }] = data.feedbacks
  assert.deepEqual([context, reply], [{ page: '/prices' }, 'Soon.'])
  assert.deepEqual(data.notifications.preferences, [{ type: 'news', email: 'off' }])
  assert.equal(data.notifications.targeted[0].level, 'info')
})
