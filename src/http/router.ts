import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { Readable, Writable } from 'node:stream'

/** A request as Node has parsed it, its body unread. */
export interface Incoming extends Readable {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly httpVersion: string
  readonly socket: { readonly remoteAddress?: string | undefined; readonly writable?: boolean }
}

/** The response to be written. */
export interface Outgoing extends Writable {
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown
  flushHeaders(): void
}

/** Resolves when the response has been given to the connection. `path` is as it was sent. */
export type Handler = (incoming: Incoming, outgoing: Outgoing, path: string) => Promise<void>

type Method = 'GET' | 'POST' | 'ALL'
type Methods = Map<string, Handler>

/** Finds the handler of a request. None of our paths has a parameter, so it is a lookup. The first one added wins. */
export class Router {
  readonly #exact = new Map<string, Methods>()
  readonly #below = new Map<string, Methods>()
  #missing: Handler = nothingHere

  /** Handles every request that matches no route. */
  otherwise(handler: Handler): void {
    this.#missing = handler
  }

  /** A path that ends in `/*` stands for itself and for everything below it. */
  on(method: Method, path: string, handler: Handler): void {
    const isBelow = path.endsWith('/*')
    const handlers = isBelow ? this.#below : this.#exact
    const key = isBelow ? path.slice(0, -2) : path
    const methods = handlers.get(key) ?? new Map()
    handlers.set(key, methods)
    if (!methods.has(method)) methods.set(method, handler)
  }

  readonly handle = (incoming: Incoming, outgoing: Outgoing): Promise<void> => {
    const path = pathOf(incoming.url ?? '')
    return this.#find(incoming.method, path)(incoming, outgoing, path)
  }

  #find(method: string | undefined, path: string): Handler {
    // Node leaves the body of the response out.
    const asked = method === 'HEAD' ? 'GET' : (method ?? '')
    return handlerFor(this.#exact.get(path), asked) ?? this.#findBelow(asked, path) ?? this.#missing
  }

  #findBelow(method: string, path: string): Handler | undefined {
    for (const [above, methods] of this.#below) {
      if (path !== above && !path.startsWith(`${above}/`)) continue
      const handler = handlerFor(methods, method)
      if (handler) return handler
    }
    return undefined
  }
}

async function nothingHere(_: Incoming, outgoing: Outgoing): Promise<void> {
  outgoing.writeHead(404, { 'content-length': '0' })
  outgoing.end()
}

function handlerFor(methods: Methods | undefined, method: string): Handler | undefined {
  return methods?.get(method) ?? methods?.get('ALL')
}

/** A target names a host before the path if it was meant for a proxy. An empty path is the root (RFC 9112). */
function pathOf(target: string): string {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]+/i, '')
  const end = path.indexOf('?')
  return (end < 0 ? path : path.slice(0, end)) || '/'
}
