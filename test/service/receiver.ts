import type { ServerResponse } from 'node:http'
import type { Person } from './people.ts'
import { startProduct } from './product.ts'

export type HookName = 'before_sign_up' | 'before_sign_in' | 'before_token'

/** The product's receiver, which says yes until the test says otherwise. */
class Receiver implements AsyncDisposable {
  readonly product: Awaited<ReturnType<typeof startProduct>>
  readonly #administrator: Person

  constructor(product: Receiver['product'], administrator: Person) {
    this.product = product
    this.#administrator = administrator
    this.says({ allow: true })
  }

  says(answer: unknown, status = 200): void {
    this.answers((response) => response.writeHead(status).end(JSON.stringify(answer)))
  }

  answers(how: (response: ServerResponse) => unknown): void {
    this.product.behaviour.answer = (_, response) => how(response)
  }

  turnOn(name: HookName, fields: object = {}) {
    const hook = { enabled: true, url: this.product.url, on_failure: 'refuse', ...fields }
    return this.#administrator.saveSettings('hooks', { [name]: hook })
  }

  [Symbol.asyncDispose]() {
    return this.product[Symbol.asyncDispose]()
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  asked(): any[] {
    return this.product.got.map(({ body }) => JSON.parse(body))
  }
}

export async function startReceiver(administrator: Person): Promise<Receiver> {
  return new Receiver(await startProduct(), administrator)
}
