import type { Context, MiddlewareHandler } from 'hono'
import type { Config } from '../config.ts'
import { Refusal } from './refusal.ts'

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * A request that a browser sends with cookies and that changes something must be JSON and come from
 * here. Requests without cookies (bearer tokens) carry nothing a foreign page could abuse, and on the
 * paths of OAuth forms a cookie has no authority.
 */
export function ownOrigin(config: Config, formPaths: ReadonlySet<string>): MiddlewareHandler {
  const trusted = new Set([config.baseUrl, ...config.trustedOrigins])
  return (context, next) => {
    if (!SAFE.has(context.req.method) && !formPaths.has(context.req.path)) {
      refuseForeignOrigin(context, trusted)
      if (context.req.header('cookie') !== undefined) requireJson(context)
    }
    return next()
  }
}

function refuseForeignOrigin(context: Context, trusted: ReadonlySet<string>): void {
  if (context.req.header('cookie') === undefined) return
  const origin = context.req.header('origin')
  if (origin !== undefined && !trusted.has(origin) && !isOwnHost(origin, context)) throw foreign()
  if (context.req.header('sec-fetch-site') === 'cross-site' && !trusted.has(origin ?? '')) throw foreign()
}

function isOwnHost(origin: string, context: Context): boolean {
  const host = context.req.header('host')
  return host !== undefined && URL.parse(origin)?.host === host
}

/** A form can be sent across sites without asking; JSON cannot. */
function requireJson(context: Context): void {
  const contentType = context.req.header('content-type')
  const isEmpty = contentType === undefined && (context.req.header('content-length') ?? '0') === '0'
  if (isEmpty || contentType?.toLowerCase().startsWith('application/json')) return
  throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.')
}

function foreign(): Refusal {
  return new Refusal('INVALID_ORIGIN', 'This request came from another site.')
}
