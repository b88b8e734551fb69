import { randomBytes } from 'node:crypto'
import type { Config } from '../../../../../config/config.ts'
import { ownCookie } from '../../../../../http/answers/own-cookie.ts'
import type { Exchange } from '../../../../../http/exchange.ts'

const COOKIE = ownCookie('provider_flow')

/** Binds a flow to the browser that began it. One value serves all of its open tabs. */
export function keepBrowserKey(exchange: Exchange, config: Config, lifetimeSeconds: number): string {
  const key = browserKeyOf(exchange, config) ?? randomBytes(32).toString('base64url')
  COOKIE.set(exchange, config, key, lifetimeSeconds)
  return key
}

export function browserKeyOf(exchange: Exchange, config: Config): string | undefined {
  const key = COOKIE.of(exchange, config)
  return key !== undefined && /^[\w-]{43}$/.test(key) ? key : undefined
}
