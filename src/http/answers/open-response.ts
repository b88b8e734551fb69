import type { ServerResponse } from 'node:http'

/** The body of a response that stays open: it is given where to write, and called when the response has ended. */
export interface OpenBody {
  opened(response: OpenResponse): void
  closed(): void
}

export interface OpenResponse {
  write(text: string): void
  /** Written, but not yet sent on the connection. */
  readonly waitingBytes: number
  /** Ends the response after what was written. */
  end(): void
  /** Closes the connection at once. */
  cut(): void
}

/** Straight to the socket: a web stream between them takes as much memory as the rest of an idle connection. */
export function openOn(outgoing: ServerResponse, body: OpenBody): void {
  outgoing.once('close', () => body.closed())
  // A write that fails is followed by the close.
  outgoing.on('error', ignore)
  // Node keeps the head for as long as the response is open; sent by itself, it is one string and not a tree
  // of parts.
  outgoing.flushHeaders()
  body.opened(new SocketResponse(outgoing))
  if (outgoing.destroyed) body.closed()
}

function ignore(): void {}

class SocketResponse implements OpenResponse {
  readonly #outgoing: ServerResponse

  constructor(outgoing: ServerResponse) {
    this.#outgoing = outgoing
  }

  get waitingBytes(): number {
    return this.#outgoing.writableLength
  }

  write(text: string): void {
    this.#outgoing.write(text)
  }

  end(): void {
    this.#outgoing.end()
  }

  cut(): void {
    this.#outgoing.destroy()
  }
}

/** For a request without a socket. */
export function streamOf(body: OpenBody): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) =>
        body.opened({
          write: (text) => controller.enqueue(encoder.encode(text)),
          get waitingBytes() {
            return -(controller.desiredSize ?? 0)
          },
          end: () => controller.close(),
          cut: () => controller.error(new Error('The connection was cut.')),
        }),
      cancel: () => body.closed(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  )
}
