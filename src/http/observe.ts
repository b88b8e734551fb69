import type { MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Platform } from '../platform/platform.ts'

/** One log line and one measurement a request; never a query string, which may hold a code. */
export function observe(platform: Platform): MiddlewareHandler {
  return async (context, next) => {
    const started = performance.now()
    await next()
    const seconds = (performance.now() - started) / 1000
    const { method, path } = context.req
    const { status } = context.res
    const route = matchedRoutes(context).findLast((matched) => !matched.path.includes('*'))?.path ?? 'other'
    platform.metrics.request(route, method, status, seconds)
    platform.log.debug({ method, path, status, milliseconds: Math.round(seconds * 1e4) / 10 }, 'request')
  }
}
