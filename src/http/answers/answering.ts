import { inRequest } from '../../database/current-request.ts'
import { FIRST_PRIMARY, ReadPosition } from '../../database/read-position.ts'
import type { Platform } from '../../platform/platform.ts'
import { currentSpan, NO_TRACES, type What } from '../../platform/traces/traces.ts'
import type { Code, OAuthFault } from '../../rules/refusal.ts'
import { Exchange, isOpen } from '../exchange.ts'
import { refuseUnclearHost } from '../requests/host.ts'
import { hasOtherSpelling } from '../requests/spelling.ts'
import { MCP_PATH } from '../route.ts'
import type { Handler } from '../router.ts'
import { identifier } from '../sender/identify.ts'
import type { Answer } from './answer.ts'
import { answerHeaders } from './answer-headers.ts'
import { bookmarkKeeper } from './bookmark.ts'
import type { Cors } from './cors.ts'
import { faultOfClient, refuse } from './refuse.ts'

type Respond = (exchange: Exchange) => Answer | Promise<Answer>

/** Turns a route's work into the function that the router calls. `route` is its name in the metrics. */
export type Answering = (route: string, respond: Respond) => Handler

/** Records a refusal of an application. */
type NoteRefusal = (exchange: Exchange, fault: OAuthFault) => void

type Ports = Pick<Platform, 'config' | 'log' | 'metrics' | 'refusals' | 'traces'>

/**
 * Everything around a route, in one step: the client, the read position, errors, the bookmark, one log line and one
 * measurement. The response's headers are put together once, when all are known. A path spelled in another way than
 * ours gets `answerMissing`, whatever its route.
 */
export function answering(platform: Ports, answerMissing: Respond, cors: Cors, noteRefusal: NoteRefusal): Answering {
  const identify = identifier(platform.config)
  const headers = answerHeaders(platform.config)
  const bookmark = bookmarkKeeper(platform.config)

  const refused = (exchange: Exchange, error: unknown) => {
    const fault = exchange.refusesAsOAuth ? faultOfClient(error) : undefined
    if (fault) noteRefusal(exchange, fault)
    return refuse(platform, exchange, error)
  }

  const settle = async (
    exchange: Exchange,
    route: string,
    readPosition: ReadPosition | undefined,
    observe: Observe,
    respond: Respond,
  ) => {
    const started = performance.now()
    let answer: Answer
    try {
      refuseUnclearHost(exchange)
      const shared = cors(exchange)
      const preflight = shared && (await shared)
      answer = preflight ?? (await (hasOtherSpelling(exchange) ? answerMissing : respond)(exchange))
    } catch (error) {
      answer = refused(exchange, error)
    }
    try {
      if (readPosition) bookmark.keep(exchange, await nextBookmark(exchange, readPosition))
    } catch (error) {
      if (isOpen(answer.body)) answer.body.closed()
      answer = refused(exchange, error)
    }
    exchange.grantCall?.answered(route, answer)
    observe(exchange, answer, performance.now() - started)
    await exchange.respond(answer)
  }
  const { traces } = platform
  return (route, respond) => {
    const observe = observer(platform, route)
    return (incoming, outgoing, path) => {
      const exchange = new Exchange(incoming, outgoing, path, headers, identify)
      const isApi = path.startsWith('/api/') || path === MCP_PATH
      const readPosition = isApi ? new ReadPosition(bookmark.of(exchange) ?? FIRST_PRIMARY) : undefined
      const request = { id: exchange.sender.requestId, readPosition, sender: exchange }
      const answered = () => inRequest(request, () => settle(exchange, route, readPosition, observe, respond))
      if (traces === NO_TRACES) return answered()
      return traces.around(whatOf(exchange, route), answered, exchange.header('traceparent'))
    }
  }
}

/** Counts a refusal that the route returned without a code. */
function noteUnnamed({ refusals }: Ports, { path, sender }: Exchange, { status, code }: Answer): void {
  if (code !== undefined) return
  if (status === 503 || (status >= 400 && status < 500))
    refusals.note({ code: CODES.get(status) ?? 'INVALID_REQUEST', address: sender.address, path })
}

const CODES: ReadonlyMap<number, Code> = new Map([
  [401, 'UNAUTHORIZED'],
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
  [503, 'STORE_UNAVAILABLE'],
])

/** Names the route as declared, because a path as sent can name somebody. */
function whatOf({ method, sender }: Exchange, route: string): What {
  return {
    name: `${method} ${route}`,
    kind: 'server',
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'gatehouse.request_id': sender.requestId,
    },
  }
}

/** The stores' positions count everybody's writes, so only callers with a credential get them. */
function nextBookmark({ hasCaller }: Exchange, readPosition: ReadPosition): Promise<string> {
  return hasCaller ? readPosition.next() : Promise.resolve(FIRST_PRIMARY)
}

type Observe = (exchange: Exchange, answer: Answer, milliseconds: number) => void

/** Never logs a query string, which can contain a code. */
function observer(platform: Ports, route: string): Observe {
  const { metrics, log } = platform
  return (exchange, answer, milliseconds) => {
    const { method, path } = exchange
    const { status } = answer
    noteUnnamed(platform, exchange, answer)
    metrics.requestTook(milliseconds / 1000, route, method, status)
    currentSpan()?.set({ 'http.response.status_code': status })
    log.debug({ method, path, status, milliseconds: Math.round(milliseconds * 10) / 10 }, 'request')
  }
}
