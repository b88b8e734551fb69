import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { contentsListed, submitted } from '../../../../test/service/feedback.ts'
import { it } from '../../../../test/service/it.ts'
import { newcomer, type Person } from '../../../../test/service/people.ts'
import { stepOfMove } from './holding.ts'
import { getShard } from './shards.ts'

describe('shards', () => {
  it('are listed with region, state and users', async ({ administrator }) => {
    const { body } = await administrator.post('/api/admin/list_shards')

    const listed = body.items.map((shard: object) =>
      ['id', 'region', 'state', 'users'].map((name) => Reflect.get(shard, name)),
    )
    assert.deepEqual(
      [listed, body.total],
      [
        [
          ['apac-1', 'apac', 'active', 3],
          ['oc-1', 'oc', 'active', 0],
          ['weur-1', 'weur', 'active', 0],
        ],
        3,
      ],
    )
  })

  it('a draining one takes no new users, and still serves and lists those it has', async ({
    service,
    administrator,
    ann,
  }) => {
    await submitted(ann)

    const drained = await administrator.post('/api/admin/update_shard', { id: 'apac-1', state: 'draining' })
    const carl = await newcomer(service)

    assert.deepEqual(drained.body, { id: 'apac-1', region: 'apac', state: 'draining', users: 3 })
    const { body } = await administrator.post('/api/admin/get_user', { id: carl.id })
    assert.notEqual(body.shard_id, 'apac-1')
    await submitted(ann, 'Again')
    assert.equal((await contentsListed(administrator)).length, 2)
  })

  it('an unknown one is 404, an unknown state 400', async ({ administrator }) => {
    assertRefused(await update(administrator, 'mars-1', 'active'), 'NOT_FOUND')
    assertRefused(await update(administrator, 'apac-1', 'gone'), 'INVALID_REQUEST')
  })

  it('the last active one cannot be drained', async ({ service, administrator }) => {
    await update(administrator, 'weur-1', 'draining')
    await update(administrator, 'oc-1', 'draining')

    const refused = await update(administrator, 'apac-1', 'draining')
    assertRefused(refused, 'LAST_ACTIVE_SHARD')
    assert.equal(refused.status, 409)
    assert.match(refused.body.message, /^apac-1 is the last shard that takes new users/)
    await newcomer(service)

    await update(administrator, 'oc-1', 'active')
    assert.equal((await update(administrator, 'apac-1', 'draining')).status, 200)
    // Again changes nothing, so there is nothing to refuse.
    assert.equal((await update(administrator, 'apac-1', 'draining')).status, 200)
  })

  it('the last active one that this process knows cannot be drained, even if another process knows more', async ({
    service,
    administrator,
  }) => {
    const mars = { id: 'mars-1', region: 'mars', state: 'active', created_at: 0 } as const
    await service.platform.meta.insertInto('shards').values(mars).execute()
    await update(administrator, 'weur-1', 'draining')
    await update(administrator, 'oc-1', 'draining')

    assertRefused(await update(administrator, 'apac-1', 'draining'), 'LAST_ACTIVE_SHARD')
  })

  it('of two that are drained at once, one stays active', async ({ administrator }) => {
    await update(administrator, 'oc-1', 'draining')
    for (let turn = 0; turn < 8; turn++) {
      const answers = await Promise.all(['apac-1', 'weur-1'].map((id) => update(administrator, id, 'draining')))

      const { body } = await administrator.post('/api/admin/list_shards')
      const active = body.items.filter(({ state }: { readonly state: string }) => state === 'active')
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
      assert.equal(active.length, 1)
      await Promise.all(['apac-1', 'weur-1'].map((id) => update(administrator, id, 'active')))
    }
  })

  it("a write gets 503 with Retry-After while the user's rows are held", async ({ service, ann, ben }) => {
    const shard = getShard(service.platform, 'apac-1')
    await stepOfMove(shard, { userId: ann.id, attempt: 1 }, 'hold')

    const feedback = await ann.post('/api/submit_feedback', { type: 'idea', content: 'Hello' })
    const mark = await ann.post('/api/read_notification', { id: 'x' })

    for (const answer of [feedback, mark]) assertRefused(answer, 'STORE_UNAVAILABLE')
    assert.equal(feedback.headers.get('retry-after'), '2')
    assert.equal((await ann.post('/api/list_notifications')).status, 200)
    assert.equal((await ben.post('/api/read_notification', { id: 'x' })).status, 200)
  })
})

function update(administrator: Person, id: string, state: string) {
  return administrator.post('/api/admin/update_shard', { id, state })
}
