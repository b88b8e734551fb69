import type { OutgoingHttpHeaders } from 'node:http'
import { Readable, Writable } from 'node:stream'
import type { Incoming, Outgoing, Router } from '../../src/http/router.ts'

/** Sends a request through the whole application, without a socket. `peer` is what a socket would know. */
export async function ask(
  { handle }: Pick<Router, 'handle'>,
  path: string,
  init?: RequestInit,
  peer?: string,
): Promise<Response> {
  const request = new Request(new URL(path, 'http://localhost'), init)
  const outgoing = new Captured()
  // The response can be seen although its client has left.
  request.signal.addEventListener('abort', () => outgoing.emit('close'))
  const handled = handle(await sent(request, init?.body instanceof ReadableStream, peer), outgoing)
  return Promise.race([outgoing.response, handled.then(() => outgoing.response)])
}

async function sent(request: Request, isStream: boolean, peer: string | undefined): Promise<Incoming> {
  const { pathname, search } = new URL(request.url)
  const headers: Record<string, string> = { host: 'service.test', ...Object.fromEntries(request.headers) }
  const body = isStream && request.body ? Readable.fromWeb(request.body) : new Readable({ read: () => undefined })
  if (isStream) headers['transfer-encoding'] = 'chunked'
  else {
    const bytes = request.body && Buffer.from(await request.arrayBuffer())
    if (bytes) headers['content-length'] ??= String(bytes.length)
    if (bytes) body.push(bytes)
    body.push(null)
  }
  return Object.assign(body, {
    method: request.method,
    url: pathname + search,
    headers,
    rawHeaders: Object.entries(headers).flat(),
    httpVersion: '1.1',
    socket: { remoteAddress: peer },
  })
}

/** Takes a response as a socket would, and makes one for `fetch` of it. */
export class Captured extends Writable implements Outgoing {
  readonly #made = Promise.withResolvers<Response>()
  readonly response = this.#made.promise
  readonly #chunks: Buffer[] = []
  #head: ResponseInit = {}
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined
  #taken: () => void = () => undefined

  constructor() {
    super({ highWaterMark: 1 })
  }

  writeHead(status: number, sent: OutgoingHttpHeaders): void {
    const headers = new Headers()
    for (const [name, value] of Object.entries(sent))
      for (const each of [value].flat()) if (each !== undefined) headers.append(name, String(each))
    this.#head = { status, headers }
  }

  /** Only a response that stays open sends its head first. */
  flushHeaders(): void {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#stream = controller
        },
        pull: () => this.#taken(),
        cancel: () => new Promise((resolve) => this.once('close', resolve).destroy()),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
    )
    this.#made.resolve(new Response(body, this.#head))
  }

  override _write(chunk: Buffer, _: string, done: () => void): void {
    if (!this.#stream) {
      this.#chunks.push(chunk)
      done()
      return
    }
    this.#taken = done
    this.#stream.enqueue(new Uint8Array(chunk))
  }

  override _final(done: () => void): void {
    if (this.#stream) this.#stream.close()
    else this.#made.resolve(new Response(this.#chunks.length > 0 ? Buffer.concat(this.#chunks) : null, this.#head))
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.writableFinished) this.#stream?.error(new Error('The connection was cut.'))
    done(error)
  }
}
