import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Call } from '../route.ts'
import { Answer } from './answer.ts'
import type { OpenBody, OpenResponse } from './open-response.ts'

/**
 * JSON made in parts, each when the client has taken the one before. The first is made before the response begins, so
 * an error in it is answered like any other; after that, only the connection can be cut.
 */
export async function jsonInParts(call: Call, parts: AsyncGenerator<string>): Promise<Answer> {
  const first = await parts.next()
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return new Answer(new BodyInParts(call, first.done ? '' : first.value, parts), 200, headers)
}

class BodyInParts implements OpenBody {
  readonly #call: Call
  readonly #first: string
  readonly #parts: AsyncGenerator<string>
  #isOpen = false
  #isClosed = false

  constructor(call: Call, first: string, parts: AsyncGenerator<string>) {
    this.#call = call
    this.#first = first
    this.#parts = parts
  }

  async opened(response: OpenResponse): Promise<void> {
    this.#isOpen = true
    try {
      response.write(this.#first)
      await response.drained(this.#call.platform.ending)
      await this.#sendRest(response)
      response.end()
    } catch (error) {
      this.#logCut(error)
      response.cut()
    }
  }

  async #sendRest(response: OpenResponse): Promise<void> {
    for await (const part of this.#parts) {
      if (this.#isClosed) return
      response.write(part)
      await response.drained(this.#call.platform.ending)
      // An embedded store reads without a turn of the event loop.
      await nextTurn()
    }
  }

  closed(): void {
    this.#isClosed = true
    if (!this.#isOpen) this.#parts.return(undefined).catch((error: unknown) => this.#logCut(error))
  }

  #logCut(error: unknown): void {
    const { platform, exchange } = this.#call
    platform.log.error({ error, path: exchange.path }, 'a response was cut short')
  }
}
