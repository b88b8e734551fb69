import type { MiddlewareHandler } from 'hono'
import type { Config } from '../config.ts'

/** What every JSON answer says to browsers. */
export function apiHeaders(config: Config): MiddlewareHandler {
  const headers = Object.entries({
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    ...(!config.isLocal && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  })
  return async (context, next) => {
    await next()
    for (const [name, value] of headers) {
      if (!context.res.headers.has(name)) context.res.headers.set(name, value)
    }
  }
}
