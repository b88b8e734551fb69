import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'vitest'
import { untilSo } from '../../../../test/faults/support/replicated.ts'
import { openPatiently, whileHeld } from '../../../../test/postgres/held-user.ts'
import { type Person, people } from '../../../../test/service/people.ts'
import { startProduct } from '../../../../test/service/product.ts'
import { type Service, startService } from '../../../../test/service/service.ts'
import { addressesOutside } from '../sending/addresses.ts'
import { Sender } from '../sending/send.ts'
import { Backlog, LaneLost } from './backlog.ts'
import { Dispatcher } from './dispatcher.ts'
import { claim } from './store.ts'

const LOCAL = { env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } }
const PATIENT_SECONDS = 600

/** A process of its own, as far as its lanes are concerned; it waits for as long as the test needs. */
function startDispatcher({ platform }: Service): Dispatcher {
  return new Dispatcher(platform, new Sender(addressesOutside(['127.0.0.0/8']), PATIENT_SECONDS))
}

async function addWebhook(administrator: Person, url: string): Promise<string> {
  const { body } = await administrator.post('/api/admin/create_webhook', {
    url,
    types: ['notification.published'],
  })
  return body.id
}

async function publish(administrator: Person, title: string, target_user_id?: string): Promise<void> {
  await administrator.post('/api/admin/create_notification', { title, content: 'C', target_user_id })
}

function titleIn(body: string): string {
  return JSON.parse(body).data.title
}

/** Does not respond until the test lets it. */
async function startHolding() {
  const held: ServerResponse[] = []
  const product = await startProduct((_, response) => held.push(response))
  return {
    product,
    held,
    release: () => {
      for (const response of held.splice(0)) response.end()
    },
    [Symbol.asyncDispose]: () => product[Symbol.asyncDispose](),
  }
}

describe('the lanes of webhooks', () => {
  it('do not wait for each other, also on one host; at most 8 deliveries of one are under way', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    const held: ServerResponse[] = []
    const prompt: string[] = []
    await using product = await startProduct((request, response, body) => {
      if (request.url === '/hook') return held.push(response)
      prompt.push(titleIn(body))
      return response.end()
    })
    await addWebhook(administrator, product.url)
    await addWebhook(administrator, product.url.replace('/hook', '/prompt'))
    const dispatcher = startDispatcher(service)
    for (let i = 0; i < 20; i++) await publish(administrator, `${i}`)
    await service.runJob('events')

    await dispatcher.turn()
    await untilSo('all reached the prompt one', async () => prompt.length === 20)
    await untilSo('8 are under way', async () => held.length >= 8)
    const underWay = held.length
    let most = 0
    while (product.got.length < 40) {
      most = Math.max(most, held.length)
      held.shift()?.end()
      await new Promise((resolve) => setImmediate(resolve))
    }
    for (const response of held) response.end()
    await dispatcher.close()

    assert.deepEqual([underWay, most], [8, 8])
  })

  it('keep the order of one user, also behind a delivery that failed', async () => {
    await using service = await startService(LOCAL)
    const { administrator, ann, ben } = await people(service)
    let isBroken = true
    await using product = await startProduct((_, response, body) => {
      response.statusCode = isBroken && titleIn(body) === 'ann 0' ? 500 : 200
      response.end()
    })
    await addWebhook(administrator, product.url)
    const titles = () => product.got.splice(0).map(({ body }) => titleIn(body))
    const publishAll = async (from: number, to: number) => {
      for (let i = from; i < to; i++)
        for (const [name, { id }] of Object.entries({ ann, ben }))
          await publish(administrator, `${name} ${i}`, id)
      await service.runJob('events')
      await service.runJob('webhooks')
    }

    await publishAll(0, 20)
    const first = titles()
    await publishAll(20, 25)
    const second = titles()
    isBroken = false
    service.clock.advance({ seconds: 5 })
    await service.runJob('webhooks')
    const rest = titles()

    const numbers = (from: number, to: number, name: string) =>
      Array.from({ length: to - from }, (_, i) => `${name} ${from + i}`)
    assert.deepEqual(
      first.filter((title) => title.startsWith('ann')),
      ['ann 0'],
    )
    assert.deepEqual(
      first.filter((title) => title.startsWith('ben')),
      numbers(0, 20, 'ben'),
    )
    assert.deepEqual(second, numbers(20, 25, 'ben'))
    assert.deepEqual(rest, numbers(0, 25, 'ann'))
  })

  it('are shared by processes so that nothing is sent twice', async () => {
    await using service = await startService(LOCAL)
    const { administrator, ann } = await people(service)
    await using product = await startProduct()
    for (let i = 0; i < 6; i++) await addWebhook(administrator, `${product.url}?${i}`)
    const dispatchers = [1, 2, 3].map(() => startDispatcher(service))

    for (let i = 0; i < 30; i++) {
      await publish(administrator, `${i}`, i % 2 === 0 ? ann.id : undefined)
      await service.runJob('events')
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.turn()))
    }
    await untilSo('all is sent', async () => {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.turn()))
      return product.got.length >= 180
    })
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.close()))

    assert.equal(product.got.length, 180)
  })

  it('of a process that has stopped are taken over; what it writes late changes nothing', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    await using holding = await startHolding()
    const id = await addWebhook(administrator, holding.product.url)
    const [still, other] = [startDispatcher(service), startDispatcher(service)]
    for (let i = 0; i < 12; i++) await publish(administrator, `${i}`)
    await service.runJob('events')
    await still.turn()
    await untilSo('8 are under way', async () => holding.held.length === 8)

    await other.turn()
    const whileHeld = holding.product.got.length
    service.clock.advance({ seconds: 46 })
    holding.product.behaviour.answer = (_, response) => response.writeHead(202).end()
    await other.turn()
    await other.idle()
    for (const response of holding.held) response.statusCode = 500
    holding.release()
    await still.close()
    await other.close()

    assert.equal(whileHeld, 8)
    const { body } = await administrator.post('/api/admin/list_webhook_deliveries', { webhook_id: id })
    assert.deepEqual(
      body.items.map(({ status, tries, answer_code }: Delivery) => [status, tries, answer_code]),
      Array.from({ length: 12 }, () => ['delivered', 1, 202]),
    )
    const sent = holding.product.got.map(({ body: text }) => titleIn(text))
    assert.deepEqual([sent.length, new Set(sent).size], [20, 12])
  })

  it('of a process that has stopped: its late failure holds nothing back, and does not count against the endpoint', async () => {
    await using service = await startService(LOCAL)
    const { administrator, ann } = await people(service)
    await using holding = await startHolding()
    const { meta, now } = service.platform
    const id = await addWebhook(administrator, holding.product.url)
    const [still, other] = [startDispatcher(service), startDispatcher(service)]
    await publish(administrator, 'one', ann.id)
    await service.runJob('events')
    await still.turn()
    await untilSo('it is under way', async () => holding.held.length === 1)
    service.clock.advance({ seconds: 46 })
    holding.product.behaviour.answer = (_, response) => response.writeHead(202).end()
    await other.turn()
    await other.close()
    await publish(administrator, 'two', ann.id)
    await service.runJob('events')
    const claimed = await claim(meta, id, 'a third', now(), now() + 45_000)
    assert.ok(claimed)
    await new Backlog(service.platform, id, 'a third').refill(claimed, new Set())

    for (const response of holding.held) response.statusCode = 500
    holding.release()
    await still.close()

    const { body } = await administrator.post('/api/admin/list_webhook_deliveries', { webhook_id: id })
    assert.deepEqual(
      body.items.map(({ status, next_attempt_at }: Delivery) => [status, next_attempt_at]),
      [
        ['pending', now()],
        ['delivered', null],
      ],
    )
    const { items } = (await administrator.post('/api/admin/list_webhooks')).body
    assert.deepEqual([items[0].failing_since, items[0].last_taken_at], [null, now()])
  })

  it('of a process that has stopped are taken over too if the clock has been set back since', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    await using product = await startProduct()
    const { meta, now } = service.platform
    const id = await addWebhook(administrator, product.url)
    const claimedAt = now()
    await claim(meta, id, 'stopped', claimedAt, claimedAt + 45_000)
    await publish(administrator, 'one')
    await service.runJob('events')

    service.clock.advance({ minutes: -5 })
    await service.runJob('webhooks')
    const soon = product.got.length
    service.clock.advance({ hours: -1 })
    await service.runJob('webhooks')

    assert.deepEqual([soon, product.got.length], [0, 1])
  })

  it('do not wait in a circle with the deletion of their endpoint', async () => {
    await using service = await startService({ ...LOCAL, open: openPatiently })
    const { administrator } = await people(service)
    await using holding = await startHolding()
    const id = await addWebhook(administrator, holding.product.url)
    const dispatcher = startDispatcher(service)
    await publish(administrator, 'one')
    await service.runJob('events')
    await dispatcher.turn()
    await untilSo('it is under way', async () => holding.held.length === 1)

    const held = { sql: 'select from webhook where id = $1 for update', values: [id] }
    const [deletion] = await whileHeld<unknown>(service, held, [
      () => administrator.post('/api/admin/delete_webhook', { id }),
      async () => {
        holding.release()
        await dispatcher.idle()
      },
    ])
    await dispatcher.close()

    const errors = service.log.lines.filter(({ level }) => level === 'error')
    assert.deepEqual([(deletion as { readonly status: number }).status, errors], [200, []])
  })

  it('miss no event of a type that another process has just added', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    const id = await addWebhook(administrator, 'http://127.0.0.1:1/')
    const { meta, now } = service.platform
    await administrator.post('/api/admin/update_webhook', { id, types: ['notification.archived'] })
    const claimed = await claim(meta, id, 'this one', now(), now() + 45_000)
    assert.ok(claimed)
    await administrator.post('/api/admin/update_webhook', { id, types: ['notification.published'] })
    await publish(administrator, 'one')
    await service.runJob('events')

    const backlog = new Backlog(service.platform, id, 'this one')
    while (backlog.needsRefill) await backlog.refill(claimed, new Set())

    assert.equal(backlog.take(new Set())?.delivery.type, 'notification.published')
  })

  it('are not written to by a process that has lost them', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    await using product = await startProduct((_, response) => response.writeHead(500).end())
    const id = await addWebhook(administrator, product.url)
    const { meta, now } = service.platform
    const claimed = await claim(meta, id, 'stood still', now(), now() + 45_000)
    assert.ok(claimed)
    service.clock.advance({ seconds: 46 })
    const other = startDispatcher(service)
    await publish(administrator, 'one')
    await service.runJob('events')
    await other.turn()
    await other.close()
    await publish(administrator, 'two')
    await service.runJob('events')

    const late = new Backlog(service.platform, id, 'stood still').refill(claimed, new Set())

    await assert.rejects(late, LaneLost)
    const { body } = await administrator.post('/api/admin/list_webhook_deliveries', { webhook_id: id })
    assert.deepEqual([body.total, body.items[0].tries], [1, 1])
  })
})

interface Delivery {
  readonly status: string
  readonly tries: number
  readonly answer_code: number
  readonly next_attempt_at: number | null
}
