import type { ServerResponse } from 'node:http'
import { Dispatcher } from '../../src/features/delivery/webhooks/lanes/dispatcher.ts'
import { Transport } from '../../src/platform/endpoints/transport.ts'
import { addressesOutside } from '../../src/platform/public-addresses.ts'
import { untilSo } from '../faults/support/replicated.ts'
import type { startProduct } from './product.ts'
import type { Service } from './service.ts'
import { it as base } from './webhooks.ts'

const PATIENT_SECONDS = 600

/** A process of its own, as far as its lanes are concerned; it waits for as long as the test needs. */
export function startDispatcher({ platform }: Service): Dispatcher {
  return new Dispatcher(platform, new Transport(addressesOutside(['127.0.0.0/8']), platform.names, PATIENT_SECONDS))
}

/** The product does not respond until the test lets it. */
class Holding {
  readonly held: ServerResponse[] = []
  readonly #product: Awaited<ReturnType<typeof startProduct>>

  constructor(product: Awaited<ReturnType<typeof startProduct>>) {
    this.#product = product
    product.behaviour.answer = (_, response) => this.held.push(response)
  }

  untilUnderWay(count: number): Promise<void> {
    return untilSo(`${count} are under way`, async () => this.held.length === count)
  }

  /** Later arrivals get this status at once. */
  accept(status = 200): void {
    this.#product.behaviour.answer = (_, response) => response.writeHead(status).end()
  }

  /** Earlier arrivals get this one. */
  release(status = 200): void {
    for (const response of this.held.splice(0)) response.writeHead(status).end()
  }
}

interface Fixtures {
  readonly holding: Holding
  readonly dispatcher: Dispatcher
}

export const it = base.extend<Fixtures>({
  holding: async ({ product }, use) => use(new Holding(product)),
  dispatcher: async ({ service }, use) => use(startDispatcher(service)),
})
