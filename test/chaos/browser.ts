import { setTimeout as pause } from 'node:timers/promises'
import type { Deed, History } from './history.ts'

/** A process of the service, at its own address. */
export interface Address {
  readonly name: string
  readonly url: string
}

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the workload takes what it needs; the checker judges it.
  readonly body: any
}

export interface Sent {
  readonly session?: string | undefined
  readonly bearer?: string | undefined
  readonly body?: object
  readonly form?: Readonly<Record<string, string>>
  readonly key?: string
}

/** The deed with all that its reply can add. */
type Whole<D extends Deed> = Extract<Deed, { kind: D['kind'] }>

const PATIENCE_MILLISECONDS = 15_000
const AFTER_A_FAILURE_MILLISECONDS = 50

/** Whether the act may have happened or not. */
export function isUnknown(reply: Reply | undefined): boolean {
  return !reply || reply.status >= 500
}

/** Nobody listened at the address, so nothing was done. */
class NotSent extends Error {}

/** Somebody with a bookmark, who asks one process now and another one then. */
export class Browser {
  readonly chain: string
  readonly #history: History
  #bookmark: string | undefined

  constructor(history: History, chain: string) {
    this.#history = history
    this.chain = chain
  }

  /** Records the act; the reply is undefined if none came. `fill` notes in the deed what was answered. */
  async do<D extends Deed>(
    deed: D,
    at: Address,
    send: (ask: typeof this.ask) => Promise<Reply>,
    fill: (deed: Whole<D>, reply: Reply) => void = () => undefined,
  ): Promise<Reply | undefined> {
    const entry = this.#history.begin(deed, this.chain, at.name)
    try {
      const reply = await send(this.ask)
      const status = `${reply.status} ${reply.body?.code ?? reply.body?.error ?? ''}`.trim()
      if (reply.status < 300) {
        fill(deed as unknown as Whole<D>, reply)
        this.#history.end(entry, 'done', status)
      } else this.#history.end(entry, reply.status < 500 ? 'refused' : 'unknown', status)
      return reply
    } catch (error) {
      this.#history.end(entry, error instanceof NotSent ? 'refused' : 'unknown', reasonOf(error))
      await pause(AFTER_A_FAILURE_MILLISECONDS)
      return undefined
    }
  }

  readonly ask = async (at: Address, path: string, sent: Sent = {}): Promise<Reply> => {
    const { body, form } = sent
    const init = {
      headers: headersOf(sent, this.#bookmark),
      redirect: 'manual' as const,
      signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
    }
    const content = form ? new URLSearchParams(form) : body && JSON.stringify(body)
    const posted = content === undefined ? init : { ...init, method: 'POST', body: content }
    const response = await fetch(`${at.url}${path}`, posted).catch(asNotSent)
    const text = await response.text()
    this.#bookmark = response.headers.get('x-db-meta-bookmark') ?? this.#bookmark
    return {
      status: response.status,
      body: text.startsWith('{') || text === 'null' ? JSON.parse(text) : text,
    }
  }
}

function headersOf({ session, bearer, body, key }: Sent, bookmark: string | undefined): Headers {
  const all = {
    // A connection that was kept could lead to a process that is gone.
    connection: 'close',
    cookie: session && `session=${session}`,
    authorization: bearer && `Bearer ${bearer}`,
    'x-db-meta-bookmark': bookmark,
    'idempotency-key': key,
    'content-type': body && 'application/json',
  }
  return new Headers(Object.entries(all).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}

function asNotSent(error: unknown): never {
  if (codeOf(error) === 'ECONNREFUSED') throw new NotSent('nobody listens', { cause: error })
  throw error
}

function reasonOf(error: unknown): string {
  return codeOf(error) ?? (error instanceof Error ? error.name : String(error))
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  return codeOf(error.cause)
}
