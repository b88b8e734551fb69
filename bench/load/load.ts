import { connect, type Socket } from 'node:net'

/** What the load generator sends: raw requests in turn, or a chain whose next request needs the previous response. */
export interface Load {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** Whether the generator shares its core with others. */
  readonly core: 'own' | 'shared'
  readonly requests?: readonly string[]
  readonly chain?: Chain
}

interface Chain {
  readonly path: string
  /** The form, with `{{token}}` where the token goes. */
  readonly form: string
  readonly answer: string
  /** One for each connection. */
  readonly tokens: readonly string[]
}

export interface LoadResult {
  readonly requests: number
  readonly perSecond: number
  readonly medianMilliseconds: number
  readonly p99Milliseconds: number
  readonly failures: number
  /** The last token of each chain, for the next round. */
  readonly tokens: readonly string[]
}

const HEAD_END = Buffer.from('\r\n\r\n')
const CHUNKS_END = Buffer.from('0\r\n\r\n')

/** Keeps one request under way on every connection, using bare sockets. */
export async function generate(load: Load): Promise<LoadResult> {
  const latencies: number[] = []
  const counts = { failures: 0 }
  using _awake = load.core === 'own' ? new Awake() : undefined
  const started = performance.now()
  const end = started + load.seconds * 1000
  const tokens = await Promise.all(
    Array.from({ length: load.connections }, (_, i) => run(load, i, end, latencies, counts)),
  )
  const seconds = (performance.now() - started) / 1000
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    medianMilliseconds: at(0.5) ?? Number.NaN,
    p99Milliseconds: at(0.99) ?? Number.NaN,
    failures: counts.failures,
    tokens,
  }
}

async function run(
  load: Load,
  number: number,
  end: number,
  latencies: number[],
  counts: { failures: number },
): Promise<string> {
  const connection = new Connection(load.port)
  let token = load.chain?.tokens[number] ?? ''
  for (let turn = number; performance.now() < end; turn += load.connections) {
    const sent = performance.now()
    const answer = await connection.send(requestOf(load, turn, token))
    latencies.push(performance.now() - sent)
    if (!answer.startsWith('HTTP/1.1 2')) counts.failures++
    if (load.chain) token = new RegExp(load.chain.answer).exec(answer)?.[1] ?? token
  }
  connection.close()
  return token
}

/** On a virtual machine, waking the generator's core costs the server up to 15 µs per response. */
class Awake implements Disposable {
  #turn: NodeJS.Immediate | undefined

  constructor() {
    this.#goOn()
  }

  [Symbol.dispose](): void {
    clearImmediate(this.#turn)
  }

  #goOn(): void {
    this.#turn = setImmediate(() => this.#goOn())
  }
}

function requestOf({ requests, chain }: Load, turn: number, token: string): string {
  if (!chain) return requests?.[turn % requests.length] ?? ''
  const body = chain.form.replace('{{token}}', token)
  return rawRequest('POST', chain.path, { 'content-type': 'application/x-www-form-urlencoded' }, body)
}

export function rawRequest(
  method: 'GET' | 'POST',
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): string {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ host: 'localhost:5173', ...headers, ...length })
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body ?? ''}`
}

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
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return received.subarray(-5).equals(CHUNKS_END)
  return true
}
