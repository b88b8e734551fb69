import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Deed, History } from '../history.ts'

/** A process of the service, at its own address. */
export interface Address {
  readonly name: string
  readonly url: string
}

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the workload takes what it needs; the checker judges it.
  readonly body: any
  /** Read from the header. */
  readonly retryAfterSeconds?: number | undefined
  /** The cookies a browser keeps without a session. */
  readonly cookies?: string
  /** The cookie of the session that the response opens. */
  readonly session?: string | undefined
}

export interface Sent {
  readonly session?: string | undefined
  /** Cookies other than the session's. */
  readonly cookies?: string
  readonly bearer?: string | undefined
  readonly body?: object
  readonly form?: Readonly<Record<string, string>>
  readonly key?: string
}

/** The act with everything that its response can add. */
type Whole<D extends Deed> = Extract<Deed, { kind: D['kind'] }>

const PATIENCE_MILLISECONDS = 15_000
const AFTER_A_FAILURE_MILLISECONDS = 500

/** True if the act may or may not have happened. */
export function isUnknown(reply: Reply | undefined): boolean {
  return !reply || reply.status >= 500
}

/** Nobody listened at the address, so nothing was done. */
class NotSent extends Error {}

/** A browser with a bookmark, which uses one process now and another one later. */
export class Browser {
  readonly chain: string
  readonly #history: History
  readonly #network: string
  #bookmark: string | undefined

  constructor(history: History, chain: string) {
    this.#history = history
    this.chain = chain
    this.#network = networkOf(chain)
  }

  /** Records the act; the reply is undefined if there was none. `fill` adds the response to the record. */
  async do<D extends Deed>(
    deed: D,
    at: Address,
    send: (ask: typeof this.ask) => Promise<Reply>,
    fill: (deed: Whole<D>, reply: Reply) => void = () => undefined,
  ): Promise<Reply | undefined> {
    const entry = this.#history.begin(deed, this.chain, at.name)
    try {
      const reply = await send(this.ask)
      const status = statusOf(reply)
      if (reply.status < 300) {
        fill(deed as unknown as Whole<D>, reply)
        this.#history.end(entry, 'done', status)
      } else this.#history.end(entry, reply.status < 500 ? 'refused' : 'unknown', status)
      return reply
    } catch (error) {
      this.#history.end(entry, error instanceof NotSent ? 'refused' : 'unknown', reasonOf(error))
      return undefined
    }
  }

  /** Waits after a failure, as a polite client does: an outage is met a few times, not a thousand times. */
  readonly ask = async (at: Address, path: string, sent: Sent = {}): Promise<Reply> => {
    try {
      const reply = await this.#ask(at, path, sent)
      if (isUnknown(reply)) await pause((reply.retryAfterSeconds ?? 1) * 1_000)
      return reply
    } catch (error) {
      await pause(AFTER_A_FAILURE_MILLISECONDS)
      throw error
    }
  }

  async #ask(at: Address, path: string, sent: Sent): Promise<Reply> {
    const { body, form } = sent
    const init = {
      headers: headersOf(sent, this.#bookmark, this.#network),
      redirect: 'manual' as const,
      signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
    }
    const content = form ? new URLSearchParams(form) : body && JSON.stringify(body)
    const posted = content === undefined ? init : { ...init, method: 'POST', body: content }
    const response = await fetch(`${at.url}${path}`, posted).catch(asNotSent)
    const text = await response.text()
    this.#bookmark = response.headers.get('x-db-meta-bookmark') ?? this.#bookmark
    const retryAfter = response.headers.get('retry-after')
    return {
      status: response.status,
      body: text.startsWith('{') || text === 'null' ? JSON.parse(text) : text,
      retryAfterSeconds: retryAfter === null ? undefined : Number(retryAfter),
      cookies: cookiesOf(response.headers),
      session: sessionOf(response.headers),
    }
  }
}

/** Ends the status of a failure that the service announced with `Retry-After`. */
export const COME_AGAIN = 'come again'

function statusOf(reply: Reply): string {
  const isAnnounced = isUnknown(reply) && reply.retryAfterSeconds !== undefined
  const code: unknown = reply.body?.code ?? reply.body?.error
  return [reply.status, code, isAnnounced && COME_AGAIN].filter(Boolean).join(' ')
}

/** Each browser has its own, so that the limits of one network do not stop everyone's sign-ins. */
function networkOf(chain: string): string {
  const [a, b, c] = createHash('sha256').update(chain).digest()
  return `10.${a}.${b}.${c}`
}

function headersOf(
  { session, cookies, bearer, body, key }: Sent,
  bookmark: string | undefined,
  network: string,
): Headers {
  const all = {
    // A connection that was kept could lead to a process that is gone.
    connection: 'close',
    'x-forwarded-for': network,
    cookie: [session && `session=${session}`, cookies].filter(Boolean).join('; '),
    authorization: bearer && `Bearer ${bearer}`,
    'x-db-meta-bookmark': bookmark,
    'idempotency-key': key,
    'content-type': body && 'application/json',
  }
  return new Headers(Object.entries(all).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}

function cookiesOf(headers: Headers): string {
  const pairs = headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
  return pairs.filter((pair) => !pair.startsWith('session=')).join('; ')
}

function asNotSent(error: unknown): never {
  if (codeOf(error) === 'ECONNREFUSED') throw new NotSent('nobody listens', { cause: error })
  throw error
}

function sessionOf(headers: Headers): string | undefined {
  return headers.getSetCookie().flatMap((line) => /^session=([^;]+)/.exec(line)?.[1] ?? [])[0]
}

function reasonOf(error: unknown): string {
  return codeOf(error) ?? (error instanceof Error ? error.name : String(error))
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  return codeOf(error.cause)
}
