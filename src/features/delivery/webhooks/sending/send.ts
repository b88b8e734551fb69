import * as http from 'node:http'
import * as https from 'node:https'
import type { Names } from '../../../../platform/names/names.ts'
import type { Addresses } from '../../../../platform/public-addresses.ts'
import { storable } from '../../../../platform/storable.ts'
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

/**
 * Connections to all endpoints. Never follows a redirect, reads only the start of a response, and waits ten
 * seconds at most.
 */
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
    this.#agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }
  }

  /** Rejects only if the signal aborts it; then it is unknown what the endpoint did. */
  async send(posted: Posted, ending: AbortSignal): Promise<DeliveryOutcome> {
    const started = performance.now()
    const elapsed = (): number => Math.round(performance.now() - started)
    try {
      const answered = await this.#post(posted, ending)
      const { status } = answered
      const isAccepted = status >= 200 && status < 300
      return {
        ...answered,
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

  async #post(posted: Posted, ending: AbortSignal): Promise<Answered> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), this.#answerSeconds * 1000)
    try {
      // Each further try uses up one idle connection, until a new one is opened.
      for (;;) {
        const answered = await this.#postOnce(posted, late.signal, ending).catch(unlessClosedWhileIdle)
        if (answered) return answered
      }
    } finally {
      clearTimeout(timer)
    }
  }

  async #postOnce({ url, headers, body }: Posted, late: AbortSignal, ending: AbortSignal): Promise<Answered> {
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
    const end = () => {
      left.abort()
      call.destroy(late.aborted ? new Late() : new Error('this process is ending'))
    }
    let isAnswered = false
    call.on('response', (answer) => {
      isAnswered = true
      void firstOf(answer).then((text) => resolve({ status: answer.statusCode ?? 0, answer: text }))
    })
    // After the response's head, an error only truncates the body.
    call.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = call.reusedSocket && error.code === 'ECONNRESET'
      if (!isAnswered) reject(isStale ? new ClosedWhileIdle() : error)
    })
    // A switch to another protocol is neither a response nor an error.
    call.on('close', () => isAnswered || reject(new Unanswered()))
    for (const signal of [late, ending]) signal.addEventListener('abort', end, { once: true })
    if (late.aborted || ending.aborted) end()
    call.end(body)
    return promise.finally(() => ending.removeEventListener('abort', end))
  }
}

interface Answered {
  readonly status: number
  readonly answer: string
}

/** The beginning of a body; the status counts whatever goes wrong after the headers. */
function firstOf(answer: http.IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    const finish = () => resolve(storable(Buffer.concat(chunks).toString('utf8'), KEPT_CHARACTERS))
    answer.on('data', (chunk: Buffer) => {
      const left = READ_BYTES - length
      chunks.push(chunk.subarray(0, left))
      length += chunk.length
      if (length >= READ_BYTES) answer.destroy()
    })
    answer.on('error', finish)
    answer.on('close', finish)
    answer.on('end', finish)
  })
}

/** The endpoint had closed the kept connection before it could see the request. */
class ClosedWhileIdle extends Error {
  override readonly name = 'ClosedWhileIdle'
}

function unlessClosedWhileIdle(error: unknown): undefined {
  if (!(error instanceof ClosedWhileIdle)) throw error
}
