import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe } from 'vitest'
import { untilSo } from '../../../../../test/faults/support/replicated.ts'
import { openPatiently, whileHeld } from '../../../../../test/postgres/held-user.ts'
import { it, startDispatcher } from '../../../../../test/service/lanes.ts'
import { titleIn } from '../../../../../test/service/webhooks.ts'
import { Backlog, LaneLost } from './backlog.ts'
import { claim } from './store.ts'

const LEASE_MILLISECONDS = 45_000

describe('the lanes of webhooks', () => {
  it('do not wait for each other, also on one host; at most 8 deliveries of one are under way', async ({
    webhooks,
    product,
    dispatcher,
  }) => {
    const held: ServerResponse[] = []
    const prompt: string[] = []
    product.behaviour.answer = (request, response, body) => {
      if (request.url === '/hook') return held.push(response)
      prompt.push(titleIn(body))
      return response.end()
    }
    await webhooks.add(product.url)
    await webhooks.add(product.url.replace('/hook', '/prompt'))
    await webhooks.publishMany(20)

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

  it('keep the order of one user, also behind a delivery that failed', async ({
    service,
    webhooks,
    product,
    ann,
    ben,
  }) => {
    let isBroken = true
    product.behaviour.answer = (_, response, body) => {
      response.statusCode = isBroken && titleIn(body) === 'ann 0' ? 500 : 200
      response.end()
    }
    await webhooks.add(product.url)
    const titles = () => product.got.splice(0).map(({ body }) => titleIn(body))
    const publishAll = async (from: number, to: number) => {
      for (let i = from; i < to; i++)
        for (const [name, { id }] of Object.entries({ ann, ben })) await webhooks.publish(`${name} ${i}`, id)
      await webhooks.send()
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
    const of = (name: string) => first.filter((title) => title.startsWith(name))
    assert.deepEqual([of('ann'), of('ben')], [['ann 0'], numbers(0, 20, 'ben')])
    assert.deepEqual(second, numbers(20, 25, 'ben'))
    assert.deepEqual(rest, numbers(0, 25, 'ann'))
  })

  it('are shared by processes so that nothing is sent twice', async ({ service, webhooks, product, ann }) => {
    for (let i = 0; i < 6; i++) await webhooks.add(`${product.url}?${i}`)
    const dispatchers = [1, 2, 3].map(() => startDispatcher(service))

    for (let i = 0; i < 30; i++) {
      await webhooks.publish(`${i}`, i % 2 === 0 ? ann.id : undefined)
      await webhooks.handOver()
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.turn()))
    }
    await untilSo('all is sent', async () => {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.turn()))
      return product.got.length >= 180
    })
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.close()))

    assert.equal(product.got.length, 180)
  })

  it('of a process that has stopped are taken over; what it writes late changes nothing', async ({
    service,
    webhooks,
    product,
    holding,
  }) => {
    const { id } = await webhooks.add(product.url)
    const [still, other] = [startDispatcher(service), startDispatcher(service)]
    await webhooks.publishMany(12)
    await still.turn()
    await holding.untilUnderWay(8)

    await other.turn()
    const whileHeld = product.got.length
    service.clock.advance({ seconds: 46 })
    holding.accept(202)
    await other.turn()
    await other.idle()
    holding.release(500)
    await still.close()
    await other.close()

    assert.equal(whileHeld, 8)
    const { items } = await webhooks.deliveries(id)
    assert.deepEqual(
      items.map(({ status, tries, answer_code }: Delivery) => [status, tries, answer_code]),
      Array(12).fill(['delivered', 1, 202]),
    )
    const sent = product.got.map(({ body: text }) => titleIn(text))
    assert.deepEqual([sent.length, new Set(sent).size], [20, 12])
  })

  it('of a process that has stopped: its late failure delays nothing, and does not count against the endpoint', async ({
    service,
    webhooks,
    product,
    holding,
    ann,
  }) => {
    const { meta, now } = service.platform
    const { id } = await webhooks.add(product.url)
    const [still, other] = [startDispatcher(service), startDispatcher(service)]
    await webhooks.publish('one', ann.id)
    await webhooks.handOver()
    await still.turn()
    await holding.untilUnderWay(1)
    service.clock.advance({ seconds: 46 })
    holding.accept(202)
    await other.turn()
    await other.close()
    await webhooks.publish('two', ann.id)
    await webhooks.handOver()
    const claimed = await claim(meta, id, 'a third', now(), now() + LEASE_MILLISECONDS)
    assert.ok(claimed)
    await new Backlog(service.platform, id, 'a third').refill(claimed, new Set())

    holding.release(500)
    await still.close()

    const { items } = await webhooks.deliveries(id)
    assert.deepEqual(
      items.map(({ status, next_attempt_at }: Delivery) => [status, next_attempt_at]),
      [
        ['pending', now()],
        ['delivered', null],
      ],
    )
    const [endpoint] = (await webhooks.list()).items
    assert.deepEqual([endpoint.failing_since, endpoint.last_taken_at], [null, now()])
  })

  it('of a process that has stopped are taken over too if the clock has been set back since', async ({
    service,
    webhooks,
    product,
  }) => {
    const { meta, now } = service.platform
    const { id } = await webhooks.add(product.url)
    const claimedAt = now()
    await claim(meta, id, 'stopped', claimedAt, claimedAt + LEASE_MILLISECONDS)
    await webhooks.publish('one')
    await webhooks.handOver()

    service.clock.advance({ minutes: -5 })
    await service.runJob('webhooks')
    const soon = product.got.length
    service.clock.advance({ hours: -1 })
    await service.runJob('webhooks')

    assert.deepEqual([soon, product.got.length], [0, 1])
  })

  it('miss no event of a type that another process has just added', async ({ service, webhooks }) => {
    const { id } = await webhooks.add('http://127.0.0.1:1/')
    const { meta, now } = service.platform
    await webhooks.update(id, { types: ['notification.archived'] })
    const claimed = await claim(meta, id, 'this one', now(), now() + LEASE_MILLISECONDS)
    assert.ok(claimed)
    await webhooks.update(id, { types: ['notification.published'] })
    await webhooks.publish('one')
    await webhooks.handOver()

    const backlog = new Backlog(service.platform, id, 'this one')
    while (backlog.needsRefill) await backlog.refill(claimed, new Set())

    assert.equal(backlog.take(new Set())?.delivery.type, 'notification.published')
  })

  it('are not written to by a process that has lost them', async ({ service, webhooks, product }) => {
    product.behaviour.answer = (_, response) => response.writeHead(500).end()
    const { id } = await webhooks.add(product.url)
    const { meta, now } = service.platform
    const claimed = await claim(meta, id, 'stood still', now(), now() + LEASE_MILLISECONDS)
    assert.ok(claimed)
    service.clock.advance({ seconds: 46 })
    const other = startDispatcher(service)
    await webhooks.publish('one')
    await webhooks.handOver()
    await other.turn()
    await other.close()
    await webhooks.publish('two')
    await webhooks.handOver()

    const late = new Backlog(service.platform, id, 'stood still').refill(claimed, new Set())

    await assert.rejects(late, LaneLost)
    const { total, items } = await webhooks.deliveries(id)
    assert.deepEqual([total, items[0].tries], [1, 1])
  })
})

describe('the lanes of webhooks, with other transactions', () => {
  it.override('options', { env: { WEBHOOK_NETWORKS: '127.0.0.0/8' }, open: openPatiently })

  it('do not deadlock with the deletion of their endpoint', async ({
    service,
    webhooks,
    product,
    holding,
    dispatcher,
  }) => {
    const { id } = await webhooks.add(product.url)
    await webhooks.publishMany(1)
    await dispatcher.turn()
    await holding.untilUnderWay(1)

    const held = { sql: 'select from webhook where id = $1 for update', values: [id] }
    const [deleted] = await whileHeld<unknown>(service, held, [
      async () => (await webhooks.delete(id)).status,
      async () => {
        holding.release()
        await dispatcher.idle()
      },
    ])
    await dispatcher.close()

    const errors = service.log.lines.filter(({ level }) => level === 'error')
    assert.deepEqual([deleted, errors], [200, []])
  })
})

interface Delivery {
  readonly status: string
  readonly tries: number
  readonly answer_code: number
  readonly next_attempt_at: number | null
}
