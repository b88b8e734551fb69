import type { Config } from '../../config/config.ts'
import { Refusal } from '../../rules/refusal.ts'
import { ELEMENT_PATHS, type ReadReturnOrigins } from '../answers/cors.ts'
import type { Exchange } from '../exchange.ts'
import { isOwnHost } from './own-host.ts'

/**
 * A request with a browser's cookies that changes something must be JSON and come from our own pages.
 * Requests without cookies (bearer tokens) carry nothing that another site's page could abuse. The paths of
 * OAuth forms are not checked, because a cookie has no authority there.
 */
export function originCheck(
  config: Config,
  readReturnOrigins: ReadReturnOrigins,
): (exchange: Exchange) => Promise<void> {
  const trusted = new Set([config.baseUrl, ...config.trustedOrigins])
  return async (exchange) => {
    if (exchange.header('cookie') === undefined) return
    const isOfElement = ELEMENT_PATHS.includes(exchange.path) && !isKnown(exchange, trusted)
    const returning = isOfElement ? await readReturnOrigins(exchange) : []
    refuseForeignOrigin(exchange, new Set([...trusted, ...returning]))
    requireJson(exchange)
  }
}

function isKnown(exchange: Exchange, trusted: ReadonlySet<string>): boolean {
  const origin = exchange.header('origin')
  return origin === undefined || trusted.has(origin) || isOwnHost(origin, exchange.header('host'))
}

function refuseForeignOrigin(exchange: Exchange, trusted: ReadonlySet<string>): void {
  const origin = exchange.header('origin')
  if (origin !== undefined && !trusted.has(origin) && !isOwnHost(origin, exchange.header('host'))) throw foreign()
  if (exchange.header('sec-fetch-site') === 'cross-site' && !trusted.has(origin ?? '')) throw foreign()
}

/** A form can be sent across sites without asking; JSON cannot. */
function requireJson(exchange: Exchange): void {
  const contentType = exchange.header('content-type')
  const isEmpty = contentType === undefined && (exchange.header('content-length') ?? '0') === '0'
  if (isEmpty || contentType?.toLowerCase().startsWith('application/json')) return
  throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.')
}

function foreign(): Refusal {
  return new Refusal(
    'INVALID_ORIGIN',
    'This request came from another site: its origin is neither PUBLIC_URL nor one of TRUSTED_ORIGINS.',
  )
}
