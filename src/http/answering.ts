import type { Context } from 'hono'
import { FIRST_PRIMARY, Place } from '../platform/place.ts'
import type { Platform } from '../platform/platform.ts'
import { inRequest } from '../platform/request.ts'
import type { Answer } from './answer.ts'
import { answerHeaders } from './answer-headers.ts'
import { bookmarkKeeper } from './bookmark.ts'
import { Exchange } from './exchange.ts'
import { identifier } from './identify.ts'
import { refuse } from './refuse.ts'

export type Respond = (exchange: Exchange) => Answer | Promise<Answer>

/** Makes what the router calls of what a route does. `route` is its name in the measurements. */
export type Answering = (route: string, respond: Respond) => (context: Context) => Promise<Response>

type Needed = Pick<Platform, 'config' | 'log' | 'metrics'>

/**
 * Everything around a route, in one step: who calls, where the request stands, what went wrong, the bookmark,
 * one log line and one measurement. The answer's headers are put together once, when all of them are known.
 */
export function answering(platform: Needed): Answering {
  const identify = identifier(platform.config)
  const headers = answerHeaders(platform.config)
  const bookmark = bookmarkKeeper(platform.config)

  const settle = async (exchange: Exchange, place: Place | undefined, route: string, respond: Respond) => {
    const started = performance.now()
    let answer = await answerOrRefuse(platform, exchange, respond)
    if (place) {
      answer = await answerOrRefuse(platform, exchange, async () => {
        await bookmark.keep(exchange, place)
        return answer
      })
    }
    observe(platform, exchange, route, answer.status, performance.now() - started)
    return exchange.respond(answer)
  }
  return (route, respond) => (context) => {
    const exchange = new Exchange(context, identify(context), headers)
    const place = exchange.path.startsWith('/api/')
      ? new Place(bookmark.of(exchange) ?? FIRST_PRIMARY)
      : undefined
    return inRequest({ id: exchange.client.requestId, place }, () => settle(exchange, place, route, respond))
  }
}

async function answerOrRefuse(platform: Needed, exchange: Exchange, respond: Respond): Promise<Answer> {
  try {
    return await respond(exchange)
  } catch (error) {
    return refuse(platform, exchange, error)
  }
}

/** Never a query string, which may hold a code. */
function observe(
  { metrics, log }: Needed,
  { method, path }: Exchange,
  route: string,
  status: number,
  milliseconds: number,
): void {
  metrics.request(route, method, status, milliseconds / 1000)
  log.debug({ method, path, status, milliseconds: Math.round(milliseconds * 10) / 10 }, 'request')
}
