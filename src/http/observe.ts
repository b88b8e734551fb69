import type { Context, MiddlewareHandler } from 'hono'
import type { Platform } from '../platform/platform.ts'

const ROUTE = 'route'

/** For the measurement: which route answers, without the parts of the path that vary. */
export function nameRoute(context: Context, path: string): void {
  context.set(ROUTE, path)
}

/** One log line and one measurement a request; never a query string, which may hold a code. */
export function observe(platform: Platform): MiddlewareHandler {
  return async (context, next) => {
    const started = performance.now()
    await next()
    const seconds = (performance.now() - started) / 1000
    const { method, path } = context.req
    const { status } = context.res
    const route = context.get(ROUTE) ?? 'other'
    platform.metrics.request(route, method, status, seconds)
    platform.log.debug({ method, path, status, milliseconds: Math.round(seconds * 1e4) / 10 }, 'request')
  }
}
