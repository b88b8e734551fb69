import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { refusal, statuses } from '../../../../test/service/answers.ts'
import { it } from '../../../../test/service/webhooks.ts'

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
  const cases = [
    ['no networks', {}, 'https://example.com/', NEVER_REACHED],
    [
      'another network',
      { WEBHOOK_NETWORKS: '10.0.0.0/8' },
      'http://10.1.2.3/hook',
      [
        ...['https://127.0.0.1/hook', 'https://[::ffff:7f00:1]/hook'],
        ...['http://93.184.215.14/hook', 'https://169.254.169.254/'],
      ],
    ],
  ] as const
  for (const [what, env, reachable, unreachable] of cases)
    describe(`with ${what} allowed`, () => {
      it.override('options', { env })

      it('is refused at once if it can be known that nothing will ever be sent there', async ({ webhooks }) => {
        const { body: made } = await webhooks.create(reachable)

        for (const url of unreachable)
          for (const answer of [await webhooks.create(url), await webhooks.update(made.id, { url })])
            assert.deepEqual([...refusal(answer), answer.body.issues?.[0].path], [400, 'INVALID_REQUEST', 'url'], url)

        const { total, items } = await webhooks.list()
        assert.deepEqual([total, items[0].url], [1, reachable])
      })
    })

  it('can be this machine or a name over http:// if WEBHOOK_NETWORKS can allow it', async ({ webhooks }) => {
    const allowed = ['https://localhost/', 'http://localhost:8080/', 'http://shop.internal/']

    const answers = await Promise.all(allowed.map((url) => webhooks.create(url)))

    assert.deepEqual(statuses(answers), [200, 200, 200])
  })

  it('is stored in the form in which it is called, without what parsing drops or replaces', async ({ webhooks }) => {
    const ugly = [' https://exa\tmple.com/a\n', 'HTTPS:\\\\ex%61mple.com\\b', 'https://@example.com/\ufffd']

    for (const url of ugly) await webhooks.create(url)

    const urls = (await webhooks.list()).items.map(({ url }: { url: string }) => url)
    assert.deepEqual(urls, ['https://example.com/%EF%BF%BD', 'https://example.com/b', 'https://example.com/a'])
  })
})

describe('a webhook', () => {
  it('that is deleted while a test is under way gets the test, and keeps no delivery', async ({
    service,
    administrator,
    webhooks,
    product,
  }) => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<() => void>()
    product.behaviour.answer = (_, response) => arrive(() => response.end('late thanks'))
    const { id } = await webhooks.add(product.url)

    const testing = administrator.post('/api/admin/test_webhook', { id })
    const answer = await arrived
    await webhooks.delete(id)
    answer()
    const { status, body } = await testing

    assert.deepEqual([status, body.status, body.answer], [200, 'delivered', 'late thanks'])
    const kept = await service.platform.meta.selectFrom('webhook_delivery').select('id').execute()
    assert.deepEqual(kept, [])
  })

  it('that does not exist has nothing to send again', async ({ administrator }) => {
    const unknown = { webhook_id: 'unknown', failed_since: 0 }

    assert.deepEqual(refusal(await administrator.post('/api/admin/redeliver', unknown)), [404, 'NOT_FOUND'])
  })
})
