import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { asIfLarge, openPatiently, whileHeld } from '../../../../test/postgres/held-user.ts'
import { type Person, people } from '../../../../test/service/people.ts'
import { type Service, startService } from '../../../../test/service/service.ts'

async function createWebhook(administrator: Person): Promise<string> {
  const { body } = await administrator.post('/api/admin/create_webhook', { url: 'https://one.example.com/' })
  return body.id
}

/** By id, by event and by time they are in different orders. */
async function insertOldDeliveries({ platform: { meta } }: Service, webhook_id: string, count: number) {
  const done = {
    webhook_id,
    type: 'notification.published',
    state: 'delivered',
    position: 1,
    begun_at: 1,
    tries: 1,
    next_attempt_at: 0,
  } as const
  const rows = Array.from({ length: count }, (_, i) => ({
    ...done,
    id: `delivery ${i}`,
    event_id: `event ${(i * 7) % count}`,
    created_at: 1 + ((i * 3) % count),
  }))
  await meta.batch([meta.insertInto('webhook_delivery').values(rows)])
}

describe('deliveries that are older than events are kept', () => {
  it('are swept at the moment at which their webhook is deleted, and both are done', async () => {
    await using service = await startService({ open: (config) => openPatiently(asIfLarge(config)) })
    const { administrator } = await people(service)
    const id = await createWebhook(administrator)
    await insertOldDeliveries(service, id, 20)

    // The deletion comes to it early, the sweep after some others.
    const held = { sql: `select from webhook_delivery where id = 'delivery 7' for update` }
    const [deleted] = await whileHeld<unknown>(service, held, [
      async () => (await administrator.post('/api/admin/delete_webhook', { id })).status,
      () => service.runJob('delivery-sweep'),
    ])

    assert.equal(deleted, 200)
    const { meta } = service.platform
    assert.deepEqual(await meta.primary.selectFrom('webhook_delivery').select('id').execute(), [])
  })
})
