import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it as base } from '../../../../../test/service/lanes.ts'
import { type Got, startProduct } from '../../../../../test/service/product.ts'

const AT_ONCE = 8
const ALL = 12

const it = base.extend<{ readonly id: string; readonly begin: () => Promise<void> }>({
  id: async ({ webhooks, product }, use) => use((await webhooks.add(product.url)).id),
  /** The endpoint then has `AT_ONCE` of `ALL` deliveries and has responded to none of them. */
  begin: async ({ webhooks, holding, dispatcher }, use) =>
    use(async () => {
      await webhooks.publishMany(ALL)
      await dispatcher.turn()
      await holding.untilUnderWay(AT_ONCE)
    }),
})

function signatures({ got }: { readonly got: readonly Got[] }): readonly number[] {
  return got.map(({ headers }) => headers['webhook-signature']?.split(' ').length ?? 0)
}

describe('an endpoint that another process changes while deliveries are under way', () => {
  it('gets no more of them once it is switched off, and the rest when it is on again', async ({
    webhooks,
    product,
    holding,
    dispatcher,
    id,
    begin,
  }) => {
    const states = async () =>
      (await webhooks.deliveries(id)).items.map(({ status }: { status: string }) => status).toSorted()
    await begin()

    await webhooks.update(id, { enabled: false })
    holding.accept()
    holding.release()
    await dispatcher.idle()
    const whileOff = [product.got.length, await states()]
    await webhooks.update(id, { enabled: true })
    await dispatcher.turn()
    await dispatcher.close()

    const some = [...Array(AT_ONCE).fill('delivered'), ...Array(ALL - AT_ONCE).fill('pending')]
    assert.deepEqual(whileOff, [AT_ONCE, some])
    assert.equal(product.got.length, ALL)
    assert.deepEqual(await states(), Array(ALL).fill('delivered'))
  })

  it('gets no more of them once it is deleted, and none of them stays', async ({
    service,
    webhooks,
    product,
    holding,
    dispatcher,
    id,
    begin,
  }) => {
    await begin()

    await webhooks.delete(id)
    holding.accept()
    holding.release()
    await dispatcher.close()

    const left = await service.platform.meta.selectFrom('webhook_delivery').select('id').execute()
    assert.deepEqual([product.got.length, left], [AT_ONCE, []])
  })

  it('gets the rest with both signatures once its secret is rotated', async ({
    webhooks,
    product,
    holding,
    dispatcher,
    id,
    begin,
  }) => {
    await begin()

    await webhooks.rotateSecret(id)
    holding.accept()
    holding.release()
    await dispatcher.close()

    assert.deepEqual(signatures(product), [...Array(AT_ONCE).fill(1), ...Array(ALL - AT_ONCE).fill(2)])
  })

  it('gets the rest without the former signature once its day is over', async ({
    service,
    webhooks,
    product,
    holding,
    dispatcher,
    id,
    begin,
  }) => {
    await webhooks.rotateSecret(id)
    service.clock.advance({ hours: 23, minutes: 59, seconds: 55 })
    await begin()

    service.clock.advance({ seconds: 5 })
    holding.accept()
    holding.release()
    await dispatcher.close()

    assert.deepEqual(signatures(product), [...Array(AT_ONCE).fill(2), ...Array(ALL - AT_ONCE).fill(1)])
  })

  it('gets the rest at its new address', async ({ webhooks, product, holding, dispatcher, id, begin }) => {
    await begin()
    await using another = await startProduct()

    await webhooks.update(id, { url: another.url })
    holding.release()
    await dispatcher.close()

    assert.deepEqual([product.got.length, another.got.length], [AT_ONCE, ALL - AT_ONCE])
  })
})
