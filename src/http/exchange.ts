import type { OutgoingHttpHeaders } from 'node:http'
import type { Answer } from './answers/answer.ts'
import { type OpenBody, openOn } from './answers/open-response.ts'
import type { GrantCall } from './grant-call.ts'
import { cookieIn } from './requests/cookies.ts'
import type { Incoming, Outgoing } from './router.ts'
import type { Sender } from './sender/sender.ts'

/** One request and its response. */
export class Exchange {
  readonly sender: Sender
  /** As it was sent: nothing has decoded or resolved it. */
  readonly path: string
  /** Refusals after this are answered as RFC 6749 says. */
  refusesAsOAuth = false
  /** True if the route accepts the token of a grant. Anywhere else such a token counts as none. */
  acceptsGrants = false
  /** Set once the token of a grant was accepted. */
  grantCall: GrantCall | undefined
  /** The administrator's application that the request comes from, once that is known. Its refusals are listed. */
  application: string | undefined
  /** The request carries a valid credential, or its response opens a session. */
  hasCaller = false
  /** The revision of the settings that this request has read, with its caller or alone. */
  settingsRevision: string | undefined
  /** Refusals after this are logged as failed sign-ins. */
  signsIn = false
  /** The response carries a new session. */
  opensSession = false
  readonly incoming: Incoming
  readonly #outgoing: Outgoing
  readonly #headers: Record<string, string>
  readonly #cookies: string[] = []
  #leaving: AbortSignal | undefined

  /** `headers` are those of every response, unless it sets its own. */
  constructor(
    incoming: Incoming,
    outgoing: Outgoing,
    path: string,
    headers: Readonly<Record<string, string>>,
    identify: (unidentified: Unidentified) => Sender,
  ) {
    this.incoming = incoming
    this.#outgoing = outgoing
    this.path = path
    this.sender = identify(this)
    this.#headers = { ...headers, 'x-request-id': this.sender.requestId }
  }

  get method(): string {
    return this.incoming.method ?? ''
  }

  /** Empty if the connection is gone. */
  get peer(): string {
    return this.incoming.socket.remoteAddress ?? ''
  }

  /** The connection still takes a response: it is not lost, and a refusal of what follows has not ended it. */
  get takesResponse(): boolean {
    return !this.#outgoing.destroyed && this.incoming.socket.writable !== false
  }

  get parameters(): URLSearchParams {
    const { url = '' } = this.incoming
    const begin = url.indexOf('?')
    return new URLSearchParams(begin < 0 ? '' : url.slice(begin))
  }

  /** The first value of each name. */
  query(): Readonly<Record<string, string>> {
    const first: Record<string, string> = Object.create(null)
    for (const [name, value] of this.parameters) first[name] ??= value
    return first
  }

  /** Created on first use, because few requests take long. */
  get leaving(): AbortSignal {
    this.#leaving ??= leavingOf(this.#outgoing)
    return this.#leaving
  }

  /** The header as Node parsed it. */
  header(name: string): string | undefined {
    const value = this.incoming.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
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

  /** If a promise is returned, the response is being written until it resolves. */
  respond({ body, status, headers }: Answer): Promise<void> | undefined {
    const all: OutgoingHttpHeaders = Object.assign(this.#headers, headers)
    if (this.#cookies.length > 0) all['set-cookie'] = this.#cookies
    const outgoing = this.#outgoing
    if (isOpen(body)) {
      outgoing.writeHead(status, all)
      return openOn(outgoing, body)
    }
    if (status !== 204 && status !== 304) all['content-length'] = String(Buffer.byteLength(body ?? ''))
    outgoing.writeHead(status, all)
    outgoing.end(body)
    return undefined
  }
}

/** One for all, since Node would make another with its stack after every response. */
const LEFT = new DOMException('The client has left, or has its response.', 'AbortError')

function leavingOf(outgoing: Outgoing): AbortSignal {
  const leaving = new AbortController()
  outgoing.once('close', () => leaving.abort(LEFT))
  if (outgoing.destroyed) leaving.abort(LEFT)
  return leaving.signal
}

export function isOpen(body: Answer['body']): body is OpenBody {
  return body !== null && typeof body === 'object' && 'opened' in body
}

/** The facts known before the sender is identified. */
export type Unidentified = Pick<Exchange, 'peer' | 'header'>
