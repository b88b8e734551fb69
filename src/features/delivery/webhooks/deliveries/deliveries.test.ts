import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { asIfLarge, openPatiently, whileHeld } from '../../../../../test/postgres/held-user.ts'
import type { Service } from '../../../../../test/service/service.ts'
import { it } from '../../../../../test/service/webhooks.ts'

/** Sorted by id, by event and by time, they are in different orders. */
async function insertOldDeliveries(
  { platform: { meta } }: Service,
  webhook_id: string,
  count: number,
  state: 'delivered' | 'failed' = 'delivered',
) {
  const done = {
    webhook_id,
    type: 'notification.published',
    state,
    last_attempt_at: 5,
    ...{ position: 1, begun_at: 1, tries: 1, next_attempt_at: 0 },
  } as const
  const rows = Array.from({ length: count }, (_, i) => ({
    ...done,
    id: `delivery ${i}`,
    event_id: `event ${(i * 7) % count}`,
    created_at: 1 + ((i * 3) % count),
  }))
  await meta.batch([meta.insertInto('webhook_delivery').values(rows)])
}

it('the deliveries of a webhook are its own', async ({ service, webhooks }) => {
  const [one, other] = [await webhooks.add('https://one.example.com/'), await webhooks.add('https://1.example/')]
  await insertOldDeliveries(service, one.id, 2)

  assert.equal((await webhooks.deliveries(one.id)).total, 2)
  assert.equal((await webhooks.deliveries(other.id)).total, 0)
})

it('deliveries that failed are sent again in parts, each once, with one audit entry', async ({
  service,
  administrator,
  webhooks,
}) => {
  const { id } = await webhooks.add('https://one.example.com/')
  await insertOldDeliveries(service, id, 2_000, 'failed')

  const { body } = await administrator.post('/api/admin/redeliver', { webhook_id: id, failed_since: 0 })

  const pending = { webhook_id: id, status: 'pending' }
  const { body: listed } = await administrator.post('/api/admin/list_webhook_deliveries', pending)
  assert.deepEqual([body.count, listed.total], [2_000, 2_000])
  assert.deepEqual(await webhooks.actions(), ['webhook.redeliver', 'webhook.create'])
})

describe('deliveries that are older than events are kept', () => {
  it.override('options', { open: (config) => openPatiently(asIfLarge(config)) })

  it('can be swept while their webhook is deleted, and both succeed', async ({ service, webhooks }) => {
    const { id } = await webhooks.add('https://one.example.com/')
    await insertOldDeliveries(service, id, 20)

    // The deletion reaches this row early, the sweep after some others.
    const held = { sql: `select from webhook_delivery where id = 'delivery 7' for update` }
    const [deleted] = await whileHeld<unknown>(service, held, [
      async () => (await webhooks.delete(id)).status,
      () => service.runJob('delivery-sweep'),
    ])

    assert.equal(deleted, 200)
    const { meta } = service.platform
    assert.deepEqual(await meta.primary.selectFrom('webhook_delivery').select('id').execute(), [])
  })

  it('are swept, except those that are still to be sent', async ({ service, webhooks }) => {
    const { id } = await webhooks.add('https://one.example.com/')
    const { meta } = service.platform
    await insertOldDeliveries(service, id, 3)
    await meta.updateTable('webhook_delivery').set({ state: 'pending' }).where('id', '=', 'delivery 1').execute()

    await service.runJob('delivery-sweep')

    const left = await meta.primary.selectFrom('webhook_delivery').select('id').execute()
    assert.deepEqual(left, [{ id: 'delivery 1' }])
  })
})
