import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'vitest'
import { untilSo } from '../../../../test/faults/support/replicated.ts'
import { type Person, people } from '../../../../test/service/people.ts'
import { type Got, startProduct } from '../../../../test/service/product.ts'
import { type Service, startService } from '../../../../test/service/service.ts'
import { addressesOutside } from '../sending/addresses.ts'
import { Sender } from '../sending/send.ts'
import { Dispatcher } from './dispatcher.ts'

const NETWORKS = '127.0.0.0/8'
const PATIENT_SECONDS = 600
const AT_ONCE = 8
const ALL = 12

/** An endpoint that has received `AT_ONCE` of `ALL` deliveries and has responded to none of them yet. */
async function startUnderWay(
  service: Service,
  administrator: Person,
  before: (id: string) => Promise<void> = async () => undefined,
) {
  const held: ServerResponse[] = []
  const product = await startProduct((_, response) => held.push(response))
  const { body: made } = await administrator.post('/api/admin/create_webhook', {
    url: product.url,
    types: ['notification.published'],
  })
  await before(made.id)
  for (let i = 0; i < ALL; i++)
    await administrator.post('/api/admin/create_notification', { title: `${i}`, content: 'C' })
  await service.runJob('events')
  const dispatcher = new Dispatcher(
    service.platform,
    new Sender(addressesOutside([NETWORKS]), PATIENT_SECONDS),
  )
  await dispatcher.turn()
  await untilSo('all that can be are under way', async () => held.length === AT_ONCE)
  return {
    id: made.id as string,
    product,
    dispatcher,
    answerAll() {
      product.behaviour.answer = (_, response) => response.end()
      for (const response of held.splice(0)) response.end()
    },
    [Symbol.asyncDispose]: () => product[Symbol.asyncDispose](),
  }
}

function signatures({ got }: { readonly got: readonly Got[] }): readonly number[] {
  return got.map(({ headers }) => headers['webhook-signature']?.split(' ').length ?? 0)
}

async function states(administrator: Person, webhook_id: string): Promise<readonly string[]> {
  const { body } = await administrator.post('/api/admin/list_webhook_deliveries', { webhook_id })
  return body.items.map(({ status }: { status: string }) => status).toSorted()
}

const some = (count: number, state: string) => Array.from({ length: count }, () => state)

describe('an endpoint that another process changes while deliveries are under way', () => {
  it('gets no more of them once it is switched off, and the rest when it is on again', async () => {
    await using service = await startService({ env: { WEBHOOK_NETWORKS: NETWORKS } })
    const { administrator } = await people(service)
    await using started = await startUnderWay(service, administrator)
    const { id, product, dispatcher } = started

    await administrator.post('/api/admin/update_webhook', { id, enabled: false })
    started.answerAll()
    await dispatcher.idle()
    const whileOff = [product.got.length, await states(administrator, id)]
    await administrator.post('/api/admin/update_webhook', { id, enabled: true })
    await dispatcher.turn()
    await dispatcher.close()

    assert.deepEqual(whileOff, [AT_ONCE, [...some(AT_ONCE, 'delivered'), ...some(ALL - AT_ONCE, 'pending')]])
    assert.equal(product.got.length, ALL)
    assert.deepEqual(await states(administrator, id), some(ALL, 'delivered'))
  })

  it('gets no more of them once it is deleted, and nothing of them stays', async () => {
    await using service = await startService({ env: { WEBHOOK_NETWORKS: NETWORKS } })
    const { administrator } = await people(service)
    await using started = await startUnderWay(service, administrator)
    const { id, product, dispatcher } = started

    await administrator.post('/api/admin/delete_webhook', { id })
    started.answerAll()
    await dispatcher.close()

    const left = await service.platform.meta.selectFrom('webhook_delivery').select('id').execute()
    assert.deepEqual([product.got.length, left], [AT_ONCE, []])
  })

  it('gets the rest with both signatures once its secret is rotated', async () => {
    await using service = await startService({ env: { WEBHOOK_NETWORKS: NETWORKS } })
    const { administrator } = await people(service)
    await using started = await startUnderWay(service, administrator)
    const { id, product, dispatcher } = started

    await administrator.post('/api/admin/rotate_webhook_secret', { id })
    started.answerAll()
    await dispatcher.close()

    assert.deepEqual(signatures(product), [...Array(AT_ONCE).fill(1), ...Array(ALL - AT_ONCE).fill(2)])
  })

  it('gets the rest without the former signature once its day is over', async () => {
    await using service = await startService({ env: { WEBHOOK_NETWORKS: NETWORKS } })
    const { administrator } = await people(service)
    await using started = await startUnderWay(service, administrator, async (id) => {
      await administrator.post('/api/admin/rotate_webhook_secret', { id })
      service.clock.advance({ hours: 23, minutes: 59, seconds: 55 })
    })
    const { product, dispatcher } = started

    service.clock.advance({ seconds: 5 })
    started.answerAll()
    await dispatcher.close()

    assert.deepEqual(signatures(product), [...Array(AT_ONCE).fill(2), ...Array(ALL - AT_ONCE).fill(1)])
  })

  it('gets the rest at its new address', async () => {
    await using service = await startService({ env: { WEBHOOK_NETWORKS: NETWORKS } })
    const { administrator } = await people(service)
    await using started = await startUnderWay(service, administrator)
    await using another = await startProduct()
    const { id, product, dispatcher } = started

    await administrator.post('/api/admin/update_webhook', { id, url: another.url })
    started.answerAll()
    await dispatcher.close()

    assert.deepEqual([product.got.length, another.got.length], [AT_ONCE, ALL - AT_ONCE])
  })
})
