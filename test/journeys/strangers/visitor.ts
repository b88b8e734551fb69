import assert from 'node:assert/strict'
import { Jar } from '../../processes/jar.ts'
import type { Person } from '../../service/people.ts'

const HOPS = 12

/** A person's browser on one machine: cookies ignore ports, so the product and Gatehouse see each other's. */
export class Visitor {
  readonly #jar: Jar
  readonly #origin: string
  readonly #gatehouse: string
  readonly #person: Person

  constructor(origin: string, gatehouse: string, person: Person) {
    this.#origin = origin
    this.#gatehouse = gatehouse
    this.#person = person
    this.#jar = new Jar(person.cookies)
  }

  /** Follows each redirect, wherever it leads. */
  async visit(path: string): Promise<Response> {
    let address = new URL(path, this.#origin)
    for (let i = 0; i < HOPS; i += 1) {
      const response = await this.#at(address)
      if (typeof response !== 'string') return response
      address = new URL(response, address)
    }
    return assert.fail(`${path} still redirects at ${address}`)
  }

  /** The address it redirects to, or the response that does not redirect. */
  async #at(address: URL): Promise<string | Response> {
    if (address.origin === this.#gatehouse) {
      const { headers, body } = await this.#person.get(address.pathname + address.search)
      if (address.pathname === '/oauth/end-session' && !headers.has('location')) return this.#agree(address)
      return headers.get('location') ?? assert.fail(`Gatehouse stays at ${address}: ${JSON.stringify(body)}`)
    }
    const response = await this.#jar.fetch(address, { origin: this.#origin, redirect: 'manual' })
    return response.headers.get('location') ?? response
  }

  /** Acts like the page that asks whether to sign out. */
  async #agree({ searchParams }: URL): Promise<string> {
    const { body } = await this.#person.post('/api/oauth/describe_sign_out', Object.fromEntries(searchParams))
    await this.#person.post('/api/auth/sign-out')
    return body.redirect_to ?? assert.fail('nothing leads back')
  }
}
