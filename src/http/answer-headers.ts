import type { MiddlewareHandler } from 'hono'
import type { Config } from '../config.ts'

/** What every answer says to browsers, unless it says something of its own. */
export function answerHeaders(config: Config): MiddlewareHandler {
  const headers = Object.entries({
    'x-content-type-options': 'nosniff',
    'content-security-policy':
      "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
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
