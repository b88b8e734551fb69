import type { Outgoing } from '../router.ts'

/** The body of a response that stays open: it is given where to write, and called when the response has ended. */
export interface OpenBody {
  /** If a promise is given, the request counts as running until it resolves. */
  opened(response: OpenResponse): Promise<void> | undefined
  /** Called even if the response is never opened. */
  closed(): void
}

export interface OpenResponse {
  write(text: string): void
  /** Written, but not yet sent on the connection. */
  readonly waitingBytes: number
  /** Resolves when the client has taken most of what was written, or has left. */
  drained(ending: AbortSignal): Promise<void>
  /** Ends the response after what was written. */
  end(): void
  /** Closes the connection at once. */
  cut(): void
}

/** A client that has not read everything by then is gone, or holds the response on purpose. */
const STALLED_MILLISECONDS = 60_000
/** The same limit while the process stops. */
const STALLED_AT_END_MILLISECONDS = 1_000

/** Writes straight to the socket: a web stream in between takes as much memory as the rest of an idle connection. */
export function openOn(outgoing: Outgoing, body: OpenBody): Promise<void> | undefined {
  outgoing.once('close', () => body.closed())
  // A write that fails is followed by the close.
  outgoing.on('error', ignore)
  // Node keeps the head for as long as the response is open; sent by itself, it is one string and not a tree
  // of parts.
  outgoing.flushHeaders()
  const sending = body.opened(new SocketResponse(outgoing))
  if (outgoing.destroyed) body.closed()
  return sending
}

function ignore(): void {}

class SocketResponse implements OpenResponse {
  readonly #outgoing: Outgoing

  constructor(outgoing: Outgoing) {
    this.#outgoing = outgoing
  }

  get waitingBytes(): number {
    return this.#outgoing.writableLength
  }

  write(text: string): void {
    this.#outgoing.write(text)
  }

  async drained(ending: AbortSignal): Promise<void> {
    const outgoing = this.#outgoing
    if (!outgoing.writableNeedDrain || outgoing.destroyed) return
    await new Promise<void>((resolve) => {
      const cutAfter = (milliseconds: number) => setTimeout(() => outgoing.destroy(), milliseconds)
      let stalled = cutAfter(ending.aborted ? STALLED_AT_END_MILLISECONDS : STALLED_MILLISECONDS)
      const hurry = () => {
        clearTimeout(stalled)
        stalled = cutAfter(STALLED_AT_END_MILLISECONDS)
      }
      const done = () => {
        clearTimeout(stalled)
        ending.removeEventListener('abort', hurry)
        outgoing.off('drain', done)
        outgoing.off('close', done)
        resolve()
      }
      ending.addEventListener('abort', hurry)
      outgoing.on('drain', done)
      outgoing.on('close', done)
    })
  }

  end(): void {
    this.#outgoing.end()
  }

  cut(): void {
    this.#outgoing.destroy()
  }
}
