import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../test/service/it.ts'
import { people } from '../../../test/service/people.ts'
import { startProduct } from '../../../test/service/product.ts'
import { startService } from '../../../test/service/service.ts'

/** Each is parsed as a URL, and no event could ever be sent to it. */
const NEVER_REACHED = [
  'https://localhost/',
  'https://LOCALHOST./',
  'https://a.b.localhost/',
  'https://127.0.0.1./',
  'https://0177.0.0.1/',
  'https://127.1/',
  'https://0/',
  'https://[::ffff:0:127.0.0.1]/',
  'https://[::127.0.0.1]/',
  'https://[0:0:0:0:0:ffff:7f00:1]/',
  'https://[64:ff9b::10.0.0.1]/',
  'https://[fd00:ec2::254]/',
  'http://example.com/',
  'http://localhost/',
  'http://93.184.215.14/',
]

describe('the address of a webhook', () => {
  it('is refused at once if it can be known that nothing will ever be sent there', async ({
    administrator,
  }) => {
    const { body: made } = await administrator.post('/api/admin/create_webhook', {
      url: 'https://example.com/',
    })

    const created = await Promise.all(
      NEVER_REACHED.map((url) => administrator.post('/api/admin/create_webhook', { url })),
    )
    const updated = await Promise.all(
      NEVER_REACHED.map((url) => administrator.post('/api/admin/update_webhook', { id: made.id, url })),
    )

    const accepted = NEVER_REACHED.filter((_, i) =>
      [created[i], updated[i]].some((answer) => answer?.body.issues?.[0].path !== 'url'),
    )
    assert.deepEqual(accepted, [])
    const { body } = await administrator.post('/api/admin/list_webhooks')
    assert.deepEqual([body.total, body.items[0].url], [1, 'https://example.com/'])
  })

  it('can be this machine or a name over http:// if WEBHOOK_NETWORKS can allow it', async () => {
    await using service = await startService({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } })
    const { administrator } = await people(service)

    const answers = await Promise.all(
      ['https://localhost/', 'http://localhost:8080/', 'http://shop.internal/'].map((url) =>
        administrator.post('/api/admin/create_webhook', { url }),
      ),
    )

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
  })

  it('is stored in the form in which it is called, without what parsing drops or replaces', async ({
    administrator,
  }) => {
    const ugly = [' https://exa\tmple.com/a\n', 'HTTPS:\\\\ex%61mple.com\\b', 'https://@example.com/\ud800']

    for (const url of ugly) await administrator.post('/api/admin/create_webhook', { url })

    const { body } = await administrator.post('/api/admin/list_webhooks')
    assert.deepEqual(
      body.items.map(({ url }: { url: string }) => url),
      ['https://example.com/%EF%BF%BD', 'https://example.com/b', 'https://example.com/a'],
    )
  })
})

describe('a webhook', () => {
  it('that is deleted while a test is under way gets the test, and keeps no delivery', async () => {
    await using service = await startService({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } })
    const { administrator } = await people(service)
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<() => void>()
    await using product = await startProduct((_, response) => arrive(() => response.end('late thanks')))
    const { body: made } = await administrator.post('/api/admin/create_webhook', { url: product.url })

    const testing = administrator.post('/api/admin/test_webhook', { id: made.id })
    const answer = await arrived
    await administrator.post('/api/admin/delete_webhook', { id: made.id })
    answer()
    const { status, body } = await testing

    assert.deepEqual([status, body.status, body.answer], [200, 'delivered', 'late thanks'])
    const kept = await service.platform.meta.selectFrom('webhook_delivery').select('id').execute()
    assert.deepEqual(kept, [])
  })

  it('that does not exist has nothing to send again', async ({ administrator }) => {
    const { status, body } = await administrator.post('/api/admin/redeliver', {
      webhook_id: 'unknown',
      failed_since: 0,
    })

    assert.deepEqual([status, body.code], [404, 'NOT_FOUND'])
  })
})
