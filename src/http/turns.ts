import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

/** Exceeds what one read of a socket can bring; after that it is not read until all of them have begun. */
const MOST_WAITING = 4_000

interface Line {
  waiting: number
  last: ServerResponse
}

/**
 * The requests that a connection sends without waiting for responses (pipelining). Each begins when the one before it
 * has its response, after a turn of the event loop in which every other connection was served. Requests that wait for
 * none cost nothing.
 */
export class Turns {
  readonly #lines = new WeakMap<Socket, Line>()

  inTurn(answer: Answer): Answer {
    return (request, response) => {
      // Node gives a response its socket when those before it have been sent.
      if (response.socket !== null) answer(request, response)
      else this.#wait(request.socket, response, () => answer(request, response))
    }
  }

  /** The last request that this connection has sent whole, unless it has its response. */
  unfinishedOf(socket: Socket): ServerResponse | undefined {
    const line = this.#lines.get(socket)
    return line && line.waiting > 0 ? line.last : underWayOn(socket)
  }

  #wait(socket: Socket, response: ServerResponse, begin: () => void): void {
    const line = this.#lines.get(socket) ?? { waiting: 0, last: response }
    this.#lines.set(socket, line)
    line.last = response
    if (++line.waiting > MOST_WAITING) {
      socket.destroy()
      return
    }
    // Node resumes the socket in the next tick, once for each request that it has read.
    process.nextTick(() => line.waiting > 0 && socket.pause())
    const next = AsyncLocalStorage.bind(() => {
      if (--line.waiting === 0) socket.resume()
      if (!response.destroyed) begin()
    })
    response.once('socket', () => setImmediate(next))
  }
}

/** Looked up where Node keeps it. A note of our own would cost every request. */
function underWayOn(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
}
