import { serialize } from 'hono/utils/cookie'
import type { Config } from '../../config/config.ts'
import type { Exchange } from '../../http/exchange.ts'

function cookieName(config: Config): string {
  return config.isHttps ? '__Host-session' : 'session'
}

export function sessionCookieOf(exchange: Exchange, config: Config): string | undefined {
  return exchange.cookie(cookieName(config))
}

/** Of the scheme Bearer only; any other is as if it were absent, so a proxy's own Basic leaves the cookie its say. */
export function bearerTokenOf(exchange: Exchange): string | undefined {
  const [scheme, token = ''] = exchange.header('authorization')?.split(' ', 2) ?? []
  return scheme?.toLowerCase() === 'bearer' ? token : undefined
}

export function setSessionCookie(
  exchange: Exchange,
  config: Config,
  token: string,
  lifetimeSeconds: number,
): void {
  const cookie = serialize(cookieName(config), token, { ...attributes(config), maxAge: lifetimeSeconds })
  exchange.addCookie(cookie)
}

export function clearSessionCookie(exchange: Exchange, config: Config): void {
  const cookie = serialize(cookieName(config), '', { ...attributes(config), maxAge: 0 })
  exchange.addCookie(cookie)
}

function attributes(config: Config) {
  return { httpOnly: true, sameSite: 'Lax', path: '/', secure: config.isHttps } as const
}
