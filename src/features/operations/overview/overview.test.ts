import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { submitted } from '../../../../test/service/feedback.ts'
import { it } from '../../../../test/service/it.ts'
import { newcomer } from '../../../../test/service/people.ts'
import { StoreUnavailable } from '../../../database/store.ts'

describe('get_overview', () => {
  it('counts users, sign-ups by day, open feedback, notifications and mails, and checks the stores', async ({
    service,
    administrator,
    ann,
  }) => {
    service.clock.advance({ days: 2 })
    await newcomer(service)
    await submitted(ann)
    await administrator.post('/api/admin/create_notification', { title: 'Hello', content: 'World' })

    const { status, body } = await administrator.post('/api/admin/get_overview')

    assert.equal(status, 200)
    assert.deepEqual([body.users, body.new_feedbacks, body.notifications, body.mails_waiting], [4, 1, 1, 0])
    assert.equal(body.sign_ups.length, 30)
    assert.deepEqual(body.sign_ups.slice(-3), [
      { day: '2026-11-21', count: 3 },
      { day: '2026-11-22', count: 0 },
      { day: '2026-11-23', count: 1 },
    ])
    assert.deepEqual(
      body.stores,
      ['meta', 'apac-1', 'weur-1', 'oc-1', 'key-value'].map((name) => ({ name, state: 'up' })),
    )
  })

  it('names a shard that is down, and leaves out only what needs it', async ({ service, administrator }) => {
    const weur = service.platform.shards.get('weur-1') ?? assert.fail('the shard is there')
    const fail = () => Promise.reject(new StoreUnavailable('weur-1'))
    Object.assign(weur, { ping: fail, snapshot: fail, batch: fail })

    const { status, body } = await administrator.post('/api/admin/get_overview')

    assert.equal(status, 200)
    assert.deepEqual([body.users, body.new_feedbacks], [3, null])
    assert.deepEqual(
      body.stores.filter(({ state }: { state: string }) => state !== 'up'),
      [{ name: 'weur-1', state: 'down' }],
    )
  })
})
