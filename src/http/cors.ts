import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { Config } from '../config.ts'

/** Only trusted origins may call from another page, with cookies, and see the bookmark. */
export function trustedCors({ trustedOrigins }: Config): MiddlewareHandler {
  const trusted = new Set(trustedOrigins)
  return cors({
    origin: (origin) => (trusted.has(origin) ? origin : null),
    credentials: true,
    allowMethods: ['GET', 'POST'],
    allowHeaders: [
      'authorization',
      'content-type',
      'x-captcha-response',
      'x-db-meta-bookmark',
      'x-request-id',
    ],
    exposeHeaders: ['retry-after', 'set-auth-token', 'x-db-meta-bookmark', 'x-request-id'],
    maxAge: 600,
  })
}
