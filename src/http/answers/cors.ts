import type { Config } from '../../config/config.ts'
import { unlessUnavailable } from '../../database/store.ts'
import type { Exchange } from '../exchange.ts'
import { ACCOUNT_ID } from '../find-caller.ts'
import { IDEMPOTENCY_KEY } from '../requests/idempotency.ts'
import { isOwnHost } from '../requests/own-host.ts'
import { MCP_PATH } from '../route.ts'
import { Answer } from './answer.ts'

/** Routes that the elements call from a product's pages; none manages the account or the service. */
export const ELEMENT_PATHS: readonly string[] = [
  '/api/auth/get-session',
  '/api/auth/multi-session/list-device-sessions',
  '/api/auth/multi-session/revoke',
  '/api/auth/multi-session/set-active',
  '/api/auth/organization/list',
  '/api/auth/organization/set-active',
  '/api/auth/sign-out',
  '/api/client_config',
  '/api/get_data',
  '/api/list_notifications',
  '/api/count_unread_notifications',
  '/api/read_notification',
  '/api/read_all_notifications',
  '/api/submit_feedback',
  '/api/list_own_feedbacks',
  '/api/live',
]

/** Routes that a page of any site can call, for applications that live in a browser: they ignore cookies. */
const OPEN_PATHS: readonly string[] = [
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource',
  `/.well-known/oauth-protected-resource${MCP_PATH}`,
  MCP_PATH,
  '/api/auth/jwks',
  '/api/oauth/jwks',
  '/api/oauth/token',
  '/api/oauth/register',
  '/api/oauth/revoke',
  '/api/oauth/userinfo',
  '/register',
]

/** The headers that the pages of an origin can send, and read. */
interface Sharing {
  readonly requestHeaders: readonly string[]
  readonly responseHeaders: readonly string[]
}

const TRUSTED: Sharing = {
  requestHeaders: [
    'authorization',
    'content-type',
    'last-event-id',
    IDEMPOTENCY_KEY,
    ACCOUNT_ID,
    'x-captcha-response',
    'x-db-meta-bookmark',
    'x-request-id',
  ],
  responseHeaders: ['retry-after', 'set-auth-token', 'x-db-meta-bookmark', 'x-request-id'],
}

const ELEMENTS: Sharing = {
  requestHeaders: ['authorization', 'content-type', IDEMPOTENCY_KEY, ACCOUNT_ID, 'last-event-id', 'cache-control'],
  responseHeaders: ['retry-after'],
}

const OPEN: Sharing = {
  requestHeaders: [
    ...['authorization', 'content-type', IDEMPOTENCY_KEY],
    ...['mcp-method', 'mcp-name', 'mcp-protocol-version', 'mcp-session-id'],
  ],
  responseHeaders: ['www-authenticate'],
}

/** Origins that the settings let a sign-in return to. */
export type ReadReturnOrigins = (exchange: Exchange) => Promise<readonly string[]>

/** Adds the headers for a page of another origin, and answers what its browser asks before the call itself. */
export type Cors = (exchange: Exchange) => Promise<Answer | undefined> | undefined

/**
 * Pages of trusted origins call everything with cookies and see the bookmark. The elements are on pages that are not
 * trusted as a whole: those on origins that a sign-in can return to call with the user's cookie, all others with a
 * token. A browser sends no cookie if the response allows `*`.
 */
export function crossOrigin({ baseUrl, trustedOrigins }: Config, readReturnOrigins: ReadReturnOrigins): Cors {
  const trusted = new Set(trustedOrigins)
  const share = async (exchange: Exchange, origin: string) => {
    const { path } = exchange
    if (trusted.has(origin) && path.startsWith('/api/')) return allow(exchange, origin, TRUSTED)
    if (OPEN_PATHS.includes(path)) return allow(exchange, '*', OPEN)
    // Our own pages send their origin too, and need no headers.
    const isOurs = origin === baseUrl || isOwnHost(origin, exchange.header('host'))
    if (isOurs || !ELEMENT_PATHS.includes(path)) return undefined
    const returning = await readReturnOrigins(exchange).catch(unlessUnavailable)
    if (returning?.includes(origin)) return allow(exchange, origin, ELEMENTS)
    return bringsToken(exchange) ? allow(exchange, '*', ELEMENTS) : undefined
  }
  return (exchange) => {
    const origin = exchange.header('origin')
    return origin === undefined ? undefined : share(exchange, origin)
  }
}

function allow(exchange: Exchange, origin: string, sharing: Sharing): Answer | undefined {
  exchange.setHeader('access-control-allow-origin', origin)
  if (origin !== '*') exchange.setHeader('access-control-allow-credentials', 'true')
  exchange.setHeader('access-control-expose-headers', sharing.responseHeaders.join())
  if (exchange.method !== 'OPTIONS') return undefined
  exchange.setHeader('access-control-allow-methods', 'GET,POST')
  exchange.setHeader('access-control-allow-headers', sharing.requestHeaders.join())
  exchange.setHeader('access-control-max-age', '600')
  return new Answer(null, 204, {})
}

/** The browser asks first whether this header can be sent. */
function bringsToken(exchange: Exchange): boolean {
  const announced = exchange.header('access-control-request-headers') ?? ''
  return exchange.header('authorization') !== undefined || /\bauthorization\b/i.test(announced)
}
