import type { IncomingMessage } from 'node:http'
import type { Context, Hono, Next } from 'hono'
import { cors } from 'hono/cors'
import type { Config } from '../../config/config.ts'
import { unlessUnavailable } from '../../database/store.ts'
import { IDEMPOTENCY_KEY } from '../requests/idempotency.ts'
import { isOwnHost } from '../requests/own-host.ts'
import { MCP_PATH } from './answering.ts'
import { allowOrigin } from './headers-of-streams.ts'

/** What the elements call from a product's pages, and nothing that manages the account or the service. */
export const ELEMENT_PATHS: readonly string[] = [
  '/api/auth/get-session',
  '/api/auth/sign-out',
  '/api/list_notifications',
  '/api/count_unread_notifications',
  '/api/read_notification',
  '/api/read_all_notifications',
  '/api/submit_feedback',
  '/api/list_own_feedbacks',
  '/api/live',
]

/** Where the settings let a sign-in return to. */
export type ReadReturnOrigins = () => Promise<readonly string[]>

/**
 * The elements, on pages that are not trusted as a whole: of the origins that a sign-in can return to with the user's
 * cookie, of any other with a token that the page has. A browser sends no cookie where `*` is the answer.
 */
export function allowElements(
  app: Hono,
  { baseUrl, trustedOrigins }: Config,
  readReturnOrigins: ReadReturnOrigins,
): void {
  // Our own pages send their origin too, and need no headers.
  const known = new Set([baseUrl, ...trustedOrigins])
  const common = {
    allowMethods: ['GET', 'POST'],
    allowHeaders: ['authorization', 'content-type', IDEMPOTENCY_KEY, 'last-event-id', 'cache-control'],
    exposeHeaders: ['retry-after'],
    maxAge: 600,
  }
  const forAny = cors({ ...common, origin: '*' })
  const forReturning = cors({ ...common, origin: (origin) => origin, credentials: true })
  const answer = (context: Context, next: Next, allowed: string) => {
    if (!isStream(context)) return allowed === '*' ? forAny(context, next) : forReturning(context, next)
    allowOrigin(context, allowed)
    return next()
  }
  for (const path of ELEMENT_PATHS) {
    app.use(path, async (context, next) => {
      const origin = headerOf(context, 'origin')
      if (origin === undefined || known.has(origin) || isOwnHost(origin, headerOf(context, 'host')))
        return next()
      const returning = await readReturnOrigins().catch(unlessUnavailable)
      if (returning?.includes(origin)) return answer(context, next, origin)
      return bringsToken(context) ? answer(context, next, '*') : next()
    })
  }
}

/** As Node has parsed it. Asking Hono's request instead would build an object of all headers. */
function headerOf({ env, req }: Context, name: 'origin' | 'host'): string | undefined {
  const incoming: IncomingMessage | undefined = env?.incoming
  return incoming ? incoming.headers[name] : req.header(name)
}

/** Before such a request, the browser asks whether its header can be sent. */
function bringsToken({ req }: Context): boolean {
  const announced = req.header('access-control-request-headers') ?? ''
  return req.header('authorization') !== undefined || /\bauthorization\b/i.test(announced)
}

function isStream({ req }: Context): boolean {
  return req.path === '/api/live' && req.method !== 'OPTIONS'
}

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
      'last-event-id',
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
    const origin = headerOf(context, 'origin')
    if (origin === undefined || !trusted.has(origin)) return next()
    if (!isStream(context)) return answerCors(context, next)
    allowOrigin(context, origin)
    return next()
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
      const origin = headerOf(context, 'origin')
      const isAnswered = path.startsWith('/api/') && trusted.has(origin ?? '')
      return origin === undefined || isAnswered ? next() : answerCors(context, next)
    })
  }
}
