import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../config/config.ts'
import type { Platform } from '../platform/platform.ts'
import { type Code, STATUS } from '../rules/refusal.ts'
import { json } from './answers/answer.ts'
import { answerHeaders } from './answers/answer-headers.ts'
import { Turns } from './turns.ts'

/**
 * Exceeds the time for which common proxies keep a connection (Caddy: two minutes): if we closed first, a request just
 * being sent would fail.
 */
const IDLE_MILLISECONDS = 125_000
const HEADERS_MILLISECONDS = 10_000
const WHOLE_REQUEST_MILLISECONDS = 30_000
/** The interval at which slow connections are checked; Node's default of half a minute would triple their time. */
const CHECK_MILLISECONDS = 1_000
/** A flood of idle connections must not use up the process's file descriptors. */
const MOST_CONNECTIONS = 10_000
/** An application's `state` and `nonce` come in an address, which can be in another one's query. */
const LONGEST_HEAD = 32_768
/** A connection that is closed while its client still sends loses the response, so the rest is read for a moment. */
const LINGER_MILLISECONDS = 1_000

type Ports = Pick<Platform, 'config' | 'refusals' | 'log'>
type Respond = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** A server whose connections take turns, and which refuses in JSON what it cannot parse. */
export function newServer({ config, refusals, log }: Ports, respond: Respond): Server {
  const refusalOf = (socket: Socket, code: Code, message: string) => {
    refusals.note({ code, address: socket.remoteAddress ?? 'unknown' })
    return early(config, code, message)
  }
  const turns = new Turns()
  const broken = new WeakSet<Socket>()
  const server = createServer(
    {
      connectionsCheckingInterval: CHECK_MILLISECONDS,
      keepAliveTimeout: IDLE_MILLISECONDS,
      headersTimeout: HEADERS_MILLISECONDS,
      requestTimeout: WHOLE_REQUEST_MILLISECONDS,
      maxHeaderSize: LONGEST_HEAD,
      // A request without a body is given no stream to read and close.
      optimizeEmptyRequests: true,
      // Node's refusal has no body. `requests/host.ts` has one.
      requireHostHeader: false,
    },
    turns.inTurn((request, response) => {
      // Waits until now: a connection opened while the listener closes is reset.
      if (!server.listening) response.setHeader('connection', 'close')
      respond(request, response).then(
        () => request.complete || dropRest(request),
        (error: unknown) => {
          log.error({ error }, 'a response could not be written')
          response.destroy()
        },
      )
    }),
  )
  server.maxConnections = MOST_CONNECTIONS
  server.on('checkExpectation', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = refusalOf(socket, 'EXPECTATION_FAILED', 'Expect can only be 100-continue.')
    response.writeHead(status, headers).end(body)
  })
  const refuseRest = (socket: Socket, [code, message]: Fault) =>
    afterWhole(turns, socket, () => socket.writable && closeWith(socket, refusalOf(socket, code, message)))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const wrong = faultOf(error)
    if (!wrong || answeredHalf.get(socket)?.complete === false) return socket.destroy()
    // Anything else on the connection is the same error again.
    if (broken.has(socket)) return
    broken.add(socket)
    refuseRest(socket, wrong)
  })
  // Node parses nothing that follows, and without a listener cuts the connection.
  server.on('connect', (_: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy())
    socket.resume()
    refuseRest(socket, ['METHOD_NOT_ALLOWED', 'This server is not a proxy.'])
  })
  return server
}

/**
 * The last request of a connection that was answered before it arrived whole. Nothing more is sent after that answer.
 */
const answeredHalf = new WeakMap<Socket, IncomingMessage>()

function dropRest(request: IncomingMessage): void {
  const { socket } = request
  answeredHalf.set(socket, request)
  const cut = setTimeout(() => socket.destroy(), LINGER_MILLISECONDS)
  request.once('close', () => clearTimeout(cut)).resume()
}

/** Requests that arrived whole are answered first. */
function afterWhole(turns: Turns, socket: Socket, refuse: () => void): void {
  const last = turns.unfinishedOf(socket)
  if (!last) refuse()
  else if (last.req.complete) last.once('close', refuse)
  else if (last.socket === null) last.once('socket', refuse)
  else if (last.headersSent) socket.destroy()
  else refuse()
}

/** A refusal before any route, with the headers of every response. */
function early(config: Config, code: Code, message: string) {
  const { body, headers } = json({ code, message }, STATUS[code])
  const text = String(body)
  const own = { 'x-request-id': randomUUID(), 'content-length': String(Buffer.byteLength(text)) }
  return { status: STATUS[code], headers: { ...answerHeaders(config), ...headers, ...own }, body: text }
}

type Fault = readonly [Code, string]

const FAULTS: ReadonlyMap<string, Fault> = new Map([
  ['HPE_HEADER_OVERFLOW', ['HEADERS_TOO_LARGE', 'The address and the headers are longer than 32 KiB.']],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', ['PAYLOAD_TOO_LARGE', 'The extensions of a chunk are too long.']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['REQUEST_TIMEOUT', 'The request did not arrive whole in time.']],
])

/** Undefined if the connection is lost. */
function faultOf({ code = '' }: NodeJS.ErrnoException): Fault | undefined {
  const isBroken = code.startsWith('HPE_')
  return FAULTS.get(code) ?? (isBroken ? ['INVALID_REQUEST', 'This is not a valid HTTP/1.1 request.'] : undefined)
}

function closeWith(socket: Socket, { status, headers, body }: ReturnType<typeof early>): void {
  const all = { ...headers, date: new Date().toUTCString(), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  const cut = setTimeout(() => socket.destroy(), LINGER_MILLISECONDS)
  socket.once('close', () => clearTimeout(cut))
}
