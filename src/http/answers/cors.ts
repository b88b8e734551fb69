import type { Hono } from 'hono'
import { cors } from 'hono/cors'
import type { Config } from '../../config/config.ts'
import { IDEMPOTENCY_KEY } from '../requests/idempotency.ts'
import { MCP_PATH } from './answering.ts'

/** Only pages of trusted origins can call with cookies and see the bookmark. */
export function allowTrustedOrigins(app: Hono, { trustedOrigins }: Config): void {
  if (trustedOrigins.length === 0) return
  const trusted = new Set(trustedOrigins)
  const answerCors = cors({
    origin: (origin) => (trusted.has(origin) ? origin : null),
    credentials: true,
    allowMethods: ['GET', 'POST'],
    allowHeaders: [
      'authorization',
      'content-type',
      IDEMPOTENCY_KEY,
      'x-captcha-response',
      'x-db-meta-bookmark',
      'x-request-id',
    ],
    exposeHeaders: ['retry-after', 'set-auth-token', 'x-db-meta-bookmark', 'x-request-id'],
    maxAge: 600,
  })
  // Same-origin pages and programs send no origin and need no headers.
  app.use('/api/*', (context, next) => {
    const origin = context.req.header('origin')
    return origin !== undefined && trusted.has(origin) ? answerCors(context, next) : next()
  })
}

/** What a page of any site can call, for applications that live in a browser: nothing here looks at cookies. */
const OPEN = [
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource',
  `/.well-known/oauth-protected-resource${MCP_PATH}`,
  MCP_PATH,
  '/api/auth/jwks',
  '/api/oauth/jwks',
  '/api/oauth/token',
  '/api/oauth/revoke',
  '/api/oauth/userinfo',
]

export function allowAnyOriginWithoutCookies(app: Hono, { trustedOrigins }: Config): void {
  const trusted = new Set(trustedOrigins)
  const answerCors = cors({
    origin: '*',
    allowMethods: ['GET', 'POST'],
    allowHeaders: ['authorization', 'content-type', IDEMPOTENCY_KEY, 'mcp-protocol-version'],
    exposeHeaders: ['www-authenticate'],
    maxAge: 600,
  })
  for (const path of OPEN) {
    app.use(path, (context, next) => {
      const origin = context.req.header('origin')
      const isAnswered = path.startsWith('/api/') && trusted.has(origin ?? '')
      return origin === undefined || isAnswered ? next() : answerCors(context, next)
    })
  }
}
