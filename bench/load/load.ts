import { connect, type Socket } from 'node:net'
import { quantile } from './measure.ts'

/** What the load generator sends: raw requests in turn, or a chain whose next request needs the previous response. */
export interface Load {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** Ends earlier, once so many requests are answered. */
  readonly most?: number
  /** Whether the generator shares its core with others. */
  readonly core: 'own' | 'shared'
  readonly requests?: readonly string[]
  readonly chain?: Chain
}

interface Chain {
  readonly path: string
  readonly form: Readonly<Record<string, string>>
  /** Where the form and the response have the token. */
  readonly field: string
  /** One for each connection. */
  readonly tokens: readonly string[]
}

export type LoadResult = Awaited<ReturnType<typeof generate>>

/** The last token of each chain, by the port it is sent to: the next round continues from there. */
const lastTokens = new Map<number, readonly string[]>()

/** Keeps one request under way on every connection, using bare sockets. */
export async function generate(load: Load) {
  const { port, connections, seconds, most = Number.POSITIVE_INFINITY, core, requests = [], chain } = load
  const tokens = lastTokens.get(port) ?? chain?.tokens
  const latencies: number[] = []
  let failures = 0
  const started = performance.now()
  const end = started + seconds * 1000
  const inTurn = async (number: number) => {
    const connection = new Connection(port)
    let token = tokens?.[number] ?? ''
    for (let turn = number; turn < most && performance.now() < end; turn += connections) {
      const request = chain
        ? formRequest(chain.path, { ...chain.form, [chain.field]: token })
        : (requests[turn % requests.length] ?? '')
      const sent = performance.now()
      const answer = await connection.send(request)
      latencies.push(performance.now() - sent)
      if (!answer.startsWith('HTTP/1.1 2')) failures++
      if (chain) token = new RegExp(`"${chain.field}":"([^"]+)"`).exec(answer)?.[1] ?? token
    }
    connection.close()
    return token
  }
  using _awake = core === 'own' ? keptAwake() : undefined
  const last = await Promise.all(Array.from({ length: connections }, (_, number) => inTurn(number)))
  if (chain) lastTokens.set(port, last)
  return {
    requests: latencies.length,
    perSecond: (latencies.length * 1000) / (performance.now() - started),
    medianMilliseconds: quantile(latencies, 0.5),
    p99Milliseconds: quantile(latencies, 0.99),
    failures,
  }
}

/** On a virtual machine, waking the generator's core costs the server up to 15 µs per response. */
function keptAwake(): Disposable {
  let turn = setImmediate(function again() {
    turn = setImmediate(again)
  })
  return { [Symbol.dispose]: () => clearImmediate(turn) }
}

/** The JSON and the cookies of the answer to each of these requests, none of which may be refused. */
export async function answersTo(port: number, count: number, requestOf: (i: number) => string) {
  const answers: Readonly<Record<string, string>>[] = []
  let next = 0
  const inTurn = async () => {
    const connection = new Connection(port)
    for (let i = next++; i < count; i = next++) {
      const request = requestOf(i)
      const answer = await connection.send(request)
      if (!answer.startsWith('HTTP/1.1 200')) throw new Error(`${request} was answered ${answer}`)
      const headEnd = answer.indexOf('\r\n\r\n')
      const cookies = answer.slice(0, headEnd).matchAll(/^set-cookie: ([^;\r]*)/gim)
      const cookie = [...cookies].map(([, each]) => each).join('; ')
      const json = answer.slice(answer.indexOf('{', headEnd), answer.lastIndexOf('}') + 1)
      answers[i] = { ...JSON.parse(json || '{}'), cookie }
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, inTurn))
  return answers
}

const AT_ONCE = 16

type Headers = Readonly<Record<string, string>>

export function rawRequest(method: 'GET' | 'POST', path: string, headers: Headers = {}, body = ''): string {
  const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
  const lines = Object.entries({ host: 'localhost:5173', ...headers, ...length })
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}

export function jsonRequest(path: string, json: object, headers: Headers = {}): string {
  return rawRequest('POST', path, { 'content-type': 'application/json', ...headers }, JSON.stringify(json))
}

export function formRequest(path: string, form: Readonly<Record<string, string>>, headers: Headers = {}): string {
  const body = new URLSearchParams(form).toString()
  return rawRequest('POST', path, { 'content-type': 'application/x-www-form-urlencoded', ...headers }, body)
}

const HEAD_END = Buffer.from('\r\n\r\n')
const CHUNKS_END = Buffer.from('0\r\n\r\n')

/** One HTTP/1.1 connection that stays open; reads just enough to find the end of each response. */
class Connection {
  readonly #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  #settle: { resolve(answer: string): void; reject(error: Error): void } | undefined

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.#socket.on('data', (chunk) => this.#take(chunk))
    this.#socket.on('error', (error) => this.#settle?.reject(error))
    this.#socket.on('close', () => this.#settle?.reject(new Error('the server closed the connection')))
  }

  send(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#settle = undefined
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    if (!isWhole(this.#received)) return
    const answer = this.#received.toString('latin1')
    this.#received = Buffer.alloc(0)
    this.#settle?.resolve(answer)
  }
}

function isWhole(received: Buffer): boolean {
  const headEnd = received.indexOf(HEAD_END)
  if (headEnd < 0) return false
  const head = received.toString('latin1', 0, headEnd)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length !== undefined) return received.length >= headEnd + 4 + Number(length)
  return !/\r\ntransfer-encoding: chunked/i.test(head) || received.subarray(-5).equals(CHUNKS_END)
}
