import { randomBytes } from 'node:crypto'
import { serialize } from 'hono/utils/cookie'
import type { Config } from '../../../../config/config.ts'
import type { Exchange } from '../../../../http/exchange.ts'

/** Binds a flow to the browser that began it. One value serves all of its open tabs. */
export function keepBrowserKey(exchange: Exchange, config: Config, lifetimeSeconds: number): string {
  const key = browserKeyOf(exchange, config) ?? randomBytes(32).toString('base64url')
  const attributes = { httpOnly: true, sameSite: 'Lax', path: '/', secure: config.isHttps } as const
  const cookie = serialize(nameOf(config), key, { ...attributes, maxAge: lifetimeSeconds })
  exchange.addCookie(cookie)
  return key
}

export function browserKeyOf(exchange: Exchange, config: Config): string | undefined {
  const key = exchange.cookie(nameOf(config))
  return key !== undefined && /^[\w-]{43}$/.test(key) ? key : undefined
}

function nameOf(config: Config): string {
  return config.isHttps ? '__Host-provider_flow' : 'provider_flow'
}
