import * as http from 'node:http'
import * as https from 'node:https'
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import type { Names } from '../names/names.ts'
import type { Addresses } from '../public-addresses.ts'
import { storable } from '../storable.ts'
import { failureOf, failureOfStatus, Late, Unanswered } from './failures.ts'

/** The result of one attempt. */
export interface DeliveryOutcome {
  readonly isAccepted: boolean
  readonly status: number | null
  /** The first characters of the response's body. */
  readonly answer: string | null
  /** The reason it was not accepted: one of `FAILURES`, or a system error code. */
  readonly error: string | null
  readonly milliseconds: number
}

interface Posted {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const ANSWER_SECONDS = 10
const KEPT_CHARACTERS = 1_000
/** The most bytes that many characters can take in UTF-8; no more is read. */
const READ_BYTES = 3 * KEPT_CHARACTERS
/** Exceeds the longest response time. If an endpoint closes idle connections earlier, there is a second try. */
const IDLE_MILLISECONDS = 15_000
/** Heads that only announce one (1xx); an endpoint could send them without an end. */
const MOST_ANNOUNCEMENTS = 10

/** How long a response may take, and how much of it is read. */
export interface Bounds {
  readonly milliseconds: number
  readonly bytes: number
}

/** Connections to all endpoints. Never follows a redirect, and reads and waits within bounds: ten seconds at most. */
export class Transport {
  readonly #addresses: Addresses
  readonly #names: Names
  readonly #answerSeconds: number
  readonly #agents: Readonly<Record<string, http.Agent>>

  constructor(addresses: Addresses, names: Names, answerSeconds: number = ANSWER_SECONDS) {
    this.#addresses = addresses
    this.#names = names
    this.#answerSeconds = answerSeconds
    // The lane limits how many are under way; endpoints at one host must not wait for each other here.
    const options = { keepAlive: true, timeout: IDLE_MILLISECONDS }
    this.#agents = { 'http:': new SmallReads(options), 'https:': new https.Agent(options) }
  }

  /** Rejects only if the signal aborts it; then it is unknown what the endpoint did. */
  async send(posted: Posted, ending: AbortSignal): Promise<DeliveryOutcome> {
    const started = performance.now()
    const elapsed = (): number => Math.round(performance.now() - started)
    try {
      const bounds = { milliseconds: this.#answerSeconds * 1000, bytes: READ_BYTES }
      const { status, body } = await this.ask(posted, bounds, ending)
      const isAccepted = status >= 200 && status < 300
      return {
        status,
        answer: storable(body.toString('utf8'), KEPT_CHARACTERS),
        isAccepted,
        error: isAccepted ? null : failureOfStatus(status),
        milliseconds: elapsed(),
      }
    } catch (error) {
      if (ending.aborted) throw error
      return {
        isAccepted: false,
        status: null,
        answer: null,
        error: failureOf(error),
        milliseconds: elapsed(),
      }
    }
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  /** Rejects if there is no response: `failureOf` has the reason. */
  async ask(posted: Posted, { milliseconds, bytes }: Bounds, ending: AbortSignal): Promise<Answered> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new Late()), milliseconds)
    try {
      // Each further try uses up one idle connection, until a new one is opened.
      for (;;) {
        const answered = await this.#postOnce(posted, bytes, late.signal, ending).catch(unlessClosedWhileIdle)
        if (answered) return answered
      }
    } finally {
      clearTimeout(timer)
    }
  }

  async #postOnce(
    { url, headers, body }: Posted,
    bytes: number,
    late: AbortSignal,
    ending: AbortSignal,
  ): Promise<Answered> {
    const address = new URL(url)
    this.#addresses.refuseKnown(address)
    const { request } = address.protocol === 'https:' ? https : http
    const agent = this.#agents[address.protocol]
    const { promise, resolve, reject } = Promise.withResolvers<Answered>()
    const left = new AbortController()
    const call = request(address, {
      method: 'POST',
      ...(agent && { agent }),
      lookup: this.#addresses.lookupFor(address.protocol, (name) =>
        this.#names.addresses('endpoint', name, { signal: left.signal }),
      ),
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Gatehouse-Webhooks/1',
        ...headers,
      },
    })
    // An `abort` without a reason makes another error, with a stack that nothing reads.
    const end = () => {
      const reason = late.aborted ? late.reason : new Error('this process is ending')
      left.abort(reason)
      call.destroy(reason)
    }
    let announcements = 0
    call.on('information', () => ++announcements > MOST_ANNOUNCEMENTS && call.destroy(new Unanswered()))
    let isOver = false
    call.on('response', (answer) => {
      isOver = true
      void firstOf(answer, bytes).then((read) => resolve({ status: answer.statusCode ?? 0, ...read }))
    })
    // After the response's head, an error only truncates the body.
    call.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = call.reusedSocket && error.code === 'ECONNRESET'
      if (!isOver) reject(isStale ? new ClosedWhileIdle() : error)
      isOver = true
    })
    // A switch to another protocol is neither a response nor an error.
    call.on('close', () => isOver || reject(new Unanswered()))
    for (const signal of [late, ending]) signal.addEventListener('abort', end, { once: true })
    if (late.aborted || ending.aborted) end()
    call.end(body)
    return promise.finally(() => ending.removeEventListener('abort', end))
  }
}

/** The longest answer that counts, with its head. */
const READ_AT_ONCE = 9 * 1024

/** Node would read 64 KiB at once and keep as much, which are garbage after the few that count; over TLS it reads less. */
class SmallReads extends http.Agent {
  readonly #buffer = Buffer.alloc(READ_AT_ONCE)

  override createConnection(options: NetConnectOpts): Socket {
    // What was read is copied before anything else is read, so that all connections can share the buffer.
    const callback = (length: number): boolean => socket.push(Buffer.from(this.#buffer.subarray(0, length)))
    const small = { highWaterMark: READ_AT_ONCE, onread: { buffer: this.#buffer, callback } }
    const socket = connect({ ...options, ...small })
    return socket
  }
}

export interface Answered {
  readonly status: number
  readonly body: Buffer
  /** False if the body broke off, was late or has more bytes than were to be read. */
  readonly isWhole: boolean
}

/** The beginning of a body; the status counts whatever goes wrong after the headers. */
function firstOf(answer: http.IncomingMessage, bytes: number): Promise<Pick<Answered, 'body' | 'isWhole'>> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    const finish = (isWhole: boolean) => resolve({ body: Buffer.concat(chunks), isWhole: isWhole && length <= bytes })
    answer.on('data', (chunk: Buffer) => {
      const left = bytes - length
      if (left > 0) chunks.push(chunk.subarray(0, left))
      length += chunk.length
      if (length > bytes) answer.destroy()
    })
    answer.on('error', () => finish(false))
    answer.on('close', () => finish(false))
    answer.on('end', () => finish(true))
  })
}

/** The endpoint had closed the kept connection before it could see the request. */
class ClosedWhileIdle extends Error {
  override readonly name = 'ClosedWhileIdle'
}

function unlessClosedWhileIdle(error: unknown): undefined {
  if (!(error instanceof ClosedWhileIdle)) throw error
}
