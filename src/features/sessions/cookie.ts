import { serialize } from 'hono/utils/cookie'
import type { Config } from '../../config/config.ts'
import type { Exchange } from '../../http/exchange.ts'

function cookieName(config: Config): string {
  return config.isHttps ? '__Host-session' : 'session'
}

/** Beside a session cookie that ends with the browser, so that a renewal does not make it last. */
function markName(config: Config): string {
  return config.isHttps ? '__Host-dont_remember' : 'dont_remember'
}

export function sessionCookieOf(exchange: Exchange, config: Config): string | undefined {
  return exchange.cookie(cookieName(config))
}

/**
 * Only of the scheme Bearer. Any other scheme counts as absent, so that the cookie works behind a proxy's own
 * Basic.
 */
export function bearerTokenOf(exchange: Exchange): string | undefined {
  const [scheme, token = ''] = exchange.header('authorization')?.split(' ', 2) ?? []
  return scheme?.toLowerCase() === 'bearer' ? token : undefined
}

export function endsWithBrowser(exchange: Exchange, config: Config): boolean {
  return exchange.cookie(markName(config)) !== undefined
}

export function setSessionCookie(
  exchange: Exchange,
  config: Config,
  token: string,
  lifetimeSeconds: number,
): void {
  const cookie = serialize(cookieName(config), token, { ...attributes(config), maxAge: lifetimeSeconds })
  exchange.addCookie(cookie)
  clearMark(exchange, config)
}

/** Without Max-Age, the browser drops both when it is closed. */
export function setBrowserSessionCookie(exchange: Exchange, config: Config, token: string): void {
  exchange.addCookie(serialize(cookieName(config), token, attributes(config)))
  exchange.addCookie(serialize(markName(config), 'true', attributes(config)))
}

export function clearSessionCookie(exchange: Exchange, config: Config): void {
  const cookie = serialize(cookieName(config), '', { ...attributes(config), maxAge: 0 })
  exchange.addCookie(cookie)
  clearMark(exchange, config)
}

function clearMark(exchange: Exchange, config: Config): void {
  if (!endsWithBrowser(exchange, config)) return
  exchange.addCookie(serialize(markName(config), '', { ...attributes(config), maxAge: 0 }))
}

function attributes(config: Config) {
  return { httpOnly: true, sameSite: 'Lax', path: '/', secure: config.isHttps } as const
}
