import type { IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import type { Answer } from './answers/answer.ts'
import { type OpenBody, openOn, streamOf } from './answers/open-response.ts'
import type { GrantCall } from './grant-call.ts'
import { cookieIn } from './requests/cookies.ts'
import type { Sender } from './sender/sender.ts'

/** One request, and the headers and cookies of its response. */
export class Exchange {
  readonly sender: Sender
  /** Refusals after this are answered as RFC 6749 says. */
  refusesAsOAuth = false
  /** True if the route accepts the token of a grant. Anywhere else such a token counts as none. */
  acceptsGrants = false
  /** Set once the token of a grant was accepted. */
  grantCall: GrantCall | undefined
  /** The administrator's application that the request comes from, once that is known. What it is refused is listed. */
  application: string | undefined
  /** The request carries a valid credential, or its response opens a session. */
  hasCaller = false
  /** The revision of the settings that this request has read, with its caller or alone. */
  settingsRevision: string | undefined
  /** The response carries a new session. */
  opensSession = false
  readonly #context: Context
  readonly #incoming: IncomingMessage | undefined
  readonly #headers: Record<string, string>
  readonly #cookies: string[] = []
  #leaving: AbortSignal | undefined

  /** `headers` are those of every response, unless it sets its own. */
  constructor(context: Context, headers: Readonly<Record<string, string>>, identify: (incoming: Incoming) => Sender) {
    this.#context = context
    this.#incoming = context.env?.incoming
    this.sender = identify(this)
    this.#headers = { ...headers, 'x-request-id': this.sender.requestId }
  }

  get method(): string {
    return this.#context.req.method
  }

  get path(): string {
    return this.#context.req.path
  }

  get url(): URL {
    return new URL(this.#context.req.url)
  }

  get request(): Request {
    return this.#context.req.raw
  }

  /** The path as it was sent, before anything decodes or resolves it. */
  get sentPath(): string {
    const target = this.#incoming?.url ?? this.#context.req.url
    const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '')
    const end = path.indexOf('?')
    return end < 0 ? path : path.slice(0, end)
  }

  /** Empty if there is no socket. Tests without a socket name an address. */
  get peer(): string {
    return this.#incoming ? (this.#incoming.socket.remoteAddress ?? '') : (this.#context.env?.peer ?? '')
  }

  /** The first value of each name. */
  query(): Readonly<Record<string, string>> {
    return this.#context.req.query()
  }

  /** Made when something asks for it: few requests take long. */
  get leaving(): AbortSignal {
    this.#leaving ??= leavingOf(this.#context)
    return this.#leaving
  }

  /** The header as Node parsed it. */
  header(name: string): string | undefined {
    const value = this.#incoming ? this.#incoming.headers[name] : this.#context.req.header(name)
    return Array.isArray(value) ? value.join(', ') : value
  }

  /** Node keeps the first of several `Host` lines. Only HTTP/1.0 may have none. */
  get hasOneHost(): boolean {
    if (!this.#incoming) return true
    const { rawHeaders, httpVersion } = this.#incoming
    let hosts = 0
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = rawHeaders[i] ?? ''
      if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    }
    return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
  }

  cookie(name: string): string | undefined {
    return cookieIn(this.header('cookie'), name)
  }

  setHeader(name: string, value: string): void {
    this.#headers[name] = value
  }

  addCookie(line: string): void {
    this.#cookies.push(line)
  }

  /** One plain object of headers is passed to Node as it is; only a second cookie needs more than that. */
  respond({ body, status, headers }: Answer): Response | Promise<Response> {
    const all = Object.assign(this.#headers, headers)
    const [cookie, ...more] = this.#cookies
    if (cookie !== undefined) all['set-cookie'] = cookie
    if (isOpen(body)) return this.#open(body, status, all)
    if (more.length === 0) return new Response(body, { status, headers: all })
    const several = new Headers(all)
    for (const line of more) several.append('set-cookie', line)
    return new Response(body, { status, headers: several })
  }

  #open(body: OpenBody, status: number, headers: Record<string, string>): Response | Promise<Response> {
    const outgoing = this.#context.env?.outgoing
    if (!outgoing) return new Response(streamOf(body), { status, headers })
    outgoing.writeHead(status, headers)
    const sending = openOn(outgoing, body)
    return sending ? sending.then(() => RESPONSE_ALREADY_SENT) : RESPONSE_ALREADY_SENT
  }
}

function leavingOf({ env, req }: Context): AbortSignal {
  const outgoing: ServerResponse | undefined = env?.outgoing
  if (!outgoing) return req.raw.signal
  const leaving = new AbortController()
  outgoing.once('close', () => leaving.abort())
  if (outgoing.destroyed) leaving.abort()
  return leaving.signal
}

export function isOpen(body: Answer['body']): body is OpenBody {
  return body !== null && typeof body === 'object' && 'opened' in body
}

/** The facts known before the sender is identified. */
export type Incoming = Pick<Exchange, 'peer' | 'header'>
