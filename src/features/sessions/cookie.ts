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
 * Basic. Everything after the scheme is the token, so two tokens count as none.
 */
export function bearerTokenOf(exchange: Exchange): string | undefined {
  const header = exchange.header('authorization')
  const space = header?.indexOf(' ') ?? -1
  const scheme = space < 0 ? header : header?.slice(0, space)
  if (scheme?.toLowerCase() !== 'bearer') return undefined
  return space < 0 ? '' : header?.slice(space + 1)
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
