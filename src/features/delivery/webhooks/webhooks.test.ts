import assert from 'node:assert/strict'
import { Webhook as Standard } from 'standardwebhooks'
import { Webhook as Svix } from 'svix'
import { describe } from 'vitest'
import { openPatiently, whileHeld } from '../../../../test/postgres/held-user.ts'
import { statuses } from '../../../../test/service/answers.ts'
import type { Got } from '../../../../test/service/product.ts'
import { it, titleIn } from '../../../../test/service/webhooks.ts'

const THREE_DAYS = 3 * 86_400_000
const UNREACHED = 'https://example.com/'

describe('list_webhooks', () => {
  it('has an address that can be saved again as it is listed', async ({ administrator }) => {
    const statuses = []
    for (const length of [300, 1_000]) {
      const url = `https://a.example/${'é'.repeat(length)}`
      statuses.push((await administrator.post('/api/admin/create_webhook', { url })).status)
    }
    const { body } = await administrator.post('/api/admin/list_webhooks')

    const [{ id, url }] = body.items
    statuses.push((await administrator.post('/api/admin/update_webhook', { id, url })).status)
    assert.deepEqual(statuses, [200, 400, 200])
  })

  it('takes a page, and is newest first', async ({ service, administrator, webhooks }) => {
    for (const name of ['one', 'two', 'three']) {
      await webhooks.create(`https://${name}.example.com/`)
      service.clock.advance({ seconds: 1 })
    }

    const pages = await Promise.all(
      [1, 2, 3].map((page) => administrator.post('/api/admin/list_webhooks', { page, page_size: 2 })),
    )

    const shown = pages.map(({ body }) => [body.items.map(({ url }: { url: string }) => url), body.total])
    assert.deepEqual(shown, [
      [['https://three.example.com/', 'https://two.example.com/'], 3],
      [['https://one.example.com/'], 3],
      [[], 3],
    ])
  })
})

describe('checklist 89: a webhook', () => {
  it('is sent what happens, signed so that the published libraries accept it', async ({
    service,
    administrator,
    webhooks,
    product,
  }) => {
    const { id, secret } = await webhooks.add(product.url)
    const verify = (key: string, { headers, body }: Got = product.got.at(-1) ?? assert.fail()) => {
      for (const library of [new Standard(key), new Svix(key)]) library.verify(body, { ...headers, ...svix(headers) })
    }
    service.clock.advance({ milliseconds: Date.now() - service.clock.now() })

    await webhooks.publish('One')
    await webhooks.send()
    verify(secret)
    const { body: rotated } = await webhooks.rotateSecret(id)
    await webhooks.publish('Two')
    await webhooks.send()
    verify(secret)
    verify(rotated.secret)
    service.clock.advance({ days: 1, milliseconds: -1 })
    await administrator.signIn()
    await webhooks.publish('Three')
    await webhooks.send()
    service.clock.advance({ milliseconds: 1 })
    await webhooks.publish('Four')
    await webhooks.send()

    const [sent] = product.got.map(({ body }) => JSON.parse(body))
    assert.deepEqual(Object.keys(sent).sort(), ['data', 'id', 'occurred_at', 'organization_id', 'type', 'user_id'])
    assert.deepEqual([sent.type, sent.data.title, product.got.length], ['notification.published', 'One', 4])
    assert.equal(product.got[0]?.headers['webhook-id'], sent.id)
    const signatures = product.got.map(({ headers }) => headers['webhook-signature']?.split(' ').length)
    assert.deepEqual(signatures, [1, 2, 2, 1])
    const [last] = (await webhooks.deliveries(id)).items
    assert.deepEqual(
      [last.status, last.tries, last.answer_code, last.answer, titleIn(last.body)],
      ['delivered', 1, 200, 'thanks', 'Four'],
    )
  })

  it('is tried again as promised, in order for one user, and delays nobody else', async ({
    service,
    administrator,
    webhooks,
    product,
    ann,
    ben,
  }) => {
    product.behaviour.answer = (_, response, body) => response.writeHead(titleIn(body) === 'ann 1' ? 500 : 204).end()
    const { id } = await webhooks.add(product.url)
    for (const title of ['ann 1', 'ann 2']) await webhooks.publish(title, ann.id)
    await webhooks.publish('ben 1', ben.id)
    const titles = () => product.got.splice(0).map(({ body }) => titleIn(body))

    await webhooks.send()
    const first = titles()
    const waits = []
    for (const seconds of [5, 30, 120, 600, 900, 900]) {
      service.clock.advance({ seconds: seconds - 1 })
      await service.runJob('webhooks')
      const early = titles()
      service.clock.advance({ seconds: 1 })
      await service.runJob('webhooks')
      waits.push({ early, inTime: titles() })
    }
    product.behaviour.answer = (_, response) => response.end()
    service.clock.advance({ minutes: 15 })
    await service.runJob('webhooks')

    assert.deepEqual(first.sort(), ['ann 1', 'ben 1'])
    assert.deepEqual(waits, Array(6).fill({ early: [], inTime: ['ann 1'] }))
    assert.deepEqual(titles(), ['ann 1', 'ann 2'])
    await administrator.signIn()
    const { items } = await webhooks.deliveries(id)
    assert.deepEqual(
      items.map(({ status }: { status: string }) => status),
      Array(3).fill('delivered'),
    )
  })

  it('that accepts again gets at once what failed before, in order, and one bad delivery keeps its own waits', async ({
    service,
    administrator,
    webhooks,
    product,
    ann,
    ben,
  }) => {
    const titles = () => product.got.splice(0).map(({ body }) => titleIn(body))
    const run = async (seconds: number) => {
      service.clock.advance({ seconds })
      await service.runJob('webhooks')
    }
    product.behaviour.answer = (_, response) => response.writeHead(503).end()
    await webhooks.add(product.url)
    for (const title of ['ann 1', 'ann 2']) await webhooks.publish(title, ann.id)
    await webhooks.send()
    for (const seconds of [5, 30, 120, 600]) await run(seconds)
    await webhooks.publish('ben 1', ben.id)
    await webhooks.send()
    titles()

    product.behaviour.answer = (_, response, body) => response.writeHead(titleIn(body) === 'ann 2' ? 400 : 200).end()
    const { body: during } = await administrator.post('/api/admin/get_overview')
    await run(5)
    const recovered = titles()
    await run(10)
    await webhooks.publish('ben 2', ben.id)
    await webhooks.send()
    await webhooks.publish('ben 3', ben.id)
    await webhooks.send()

    assert.equal(during.deliveries_waiting, 3)
    assert.deepEqual(recovered, ['ben 1', 'ann 1', 'ann 2'])
    assert.deepEqual(titles(), ['ann 2', 'ben 2', 'ben 3'])
  })

  it('that accepts nothing for three days is switched off with a letter, and can catch up', async ({
    service,
    administrator,
    webhooks,
    product,
  }) => {
    product.behaviour.answer = (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    const { id } = await webhooks.add(product.url)
    await webhooks.publish('One')
    const start = service.clock.now()
    await webhooks.send()

    for (let hours = 0; hours < 80; hours += hours < 70 ? 1 : 0.25) {
      service.clock.advance({ hours: hours < 70 ? 1 : 0.25 })
      await service.runJob('webhook-upkeep')
      await service.runJob('webhooks')
    }
    await administrator.signIn()
    const letters = await service.platform.meta.selectFrom('letter_queue').select('kind').execute()
    const [off] = (await webhooks.list()).items
    const [failed] = (await webhooks.deliveries(id)).items
    await webhooks.publish('Two')
    await webhooks.send()
    const whileOff = product.got.length
    product.behaviour.answer = (_, response) => response.end()
    await webhooks.update(id, { enabled: true })
    // After the delivery was made, before its last try.
    const since = { webhook_id: id, failed_since: start + 24 * 3_600_000 }
    const { body: again } = await administrator.post('/api/admin/redeliver', since)
    await service.runJob('webhooks')

    assert.deepEqual(letters, [{ kind: 'notice' }])
    assert.deepEqual([off.enabled, off.failing_since, off.switched_off_at], [false, start, start + THREE_DAYS])
    assert.deepEqual([failed.status, failed.answer_code, failed.error], ['failed', 302, 'redirected'])
    assert.deepEqual(again, { count: 1 })
    const caughtUp = product.got.slice(whileOff).map(({ body }) => titleIn(body))
    assert.deepEqual(caughtUp.sort(), ['One', 'Two'])
    const [back] = (await webhooks.list()).items
    assert.deepEqual([back.enabled, back.failing_since, back.switched_off_at], [true, null, null])
  })

  it('is refused beyond a hundred, also if several are created at once', async ({ webhooks }) => {
    const create = () => webhooks.create(UNREACHED, { enabled: false })
    for (let i = 0; i < 98; i++) await create()

    const made = await Promise.all(Array.from({ length: 6 }, create))

    assert.deepEqual(statuses(made).toSorted(), [200, 200, 400, 400, 400, 400])
    assert.equal((await webhooks.list()).total, 100)
  })

  it('whose secret is rotated twice at once signs with both', async ({ service, webhooks, product }) => {
    const { id } = await webhooks.add(product.url)
    service.clock.advance({ milliseconds: Date.now() - service.clock.now() })

    const rotated = await Promise.all([webhooks.rotateSecret(id), webhooks.rotateSecret(id)])
    await webhooks.publish('One')
    await webhooks.send()

    const { headers, body } = product.got[0] ?? assert.fail()
    for (const { body: shown } of rotated) new Standard(shown.secret).verify(body, { ...headers })
  })

  it('that was deleted is neither changed nor called again, and the audit log has no entry about it', async ({
    administrator,
    webhooks,
  }) => {
    const { id } = await webhooks.add(UNREACHED)
    await webhooks.delete(id)

    const answers = await Promise.all([
      webhooks.update(id, { enabled: true }),
      webhooks.rotateSecret(id),
      administrator.post('/api/admin/redeliver', { id }),
    ])

    assert.deepEqual(statuses(answers), [404, 404, 404])
    assert.deepEqual(await webhooks.actions(), ['webhook.delete', 'webhook.create'])
  })
})

describe('checklist 89: a webhook, with other transactions', () => {
  it.override('options', { open: openPatiently })

  it('that is deleted at the moment at which it is switched off causes no later entry and no letter', async ({
    service,
    administrator,
    webhooks,
  }) => {
    const { meta } = service.platform
    const { id } = await webhooks.add(UNREACHED)
    await meta.updateTable('webhook').set({ failing_since: service.clock.now() }).execute()
    service.clock.advance({ milliseconds: THREE_DAYS - 1 })
    await service.runJob('webhook-upkeep')
    await administrator.signIn()
    assert.deepEqual(await webhooks.actions(), ['webhook.create'])
    service.clock.advance({ milliseconds: 1 })

    const held = { sql: 'select from webhook where id = $1 for update', values: [id] }
    await whileHeld<unknown>(service, held, [() => webhooks.delete(id), () => service.runJob('webhook-upkeep')])

    const actions = await webhooks.actions()
    const letters = await meta.selectFrom('letter_queue').select('kind').execute()
    assert.equal(actions[0], 'webhook.delete')
    assert.equal(letters.length, actions.length - 2)
  })
})

function svix(headers: Got['headers']) {
  return Object.fromEntries(
    ['id', 'timestamp', 'signature'].map((name) => [`svix-${name}`, headers[`webhook-${name}`] ?? '']),
  )
}
