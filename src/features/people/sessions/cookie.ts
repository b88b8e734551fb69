import type { Config } from '../../../config/config.ts'
import { ownCookie } from '../../../http/answers/own-cookie.ts'
import type { Exchange } from '../../../http/exchange.ts'

const SESSION = ownCookie('session')
/** Beside a session cookie that ends with the browser, so that a renewal does not make it last. */
const MARK = ownCookie('dont_remember')

export function sessionCookieOf(exchange: Exchange, config: Config): string | undefined {
  return SESSION.of(exchange, config)
}

/**
 * Reads the scheme Bearer only. Any other scheme counts as absent, so that the cookie works behind a proxy's own Basic.
 * Everything after the scheme is the token, so two tokens count as none.
 */
export function bearerTokenOf(exchange: Exchange): string | undefined {
  const header = exchange.header('authorization')
  const space = header?.indexOf(' ') ?? -1
  const scheme = space < 0 ? header : header?.slice(0, space)
  if (scheme?.toLowerCase() !== 'bearer') return undefined
  return space < 0 ? '' : header?.slice(space + 1)
}

export function endsWithBrowser(exchange: Exchange, config: Config): boolean {
  return MARK.of(exchange, config) !== undefined
}

export function setSessionCookie(exchange: Exchange, config: Config, token: string, lifetimeSeconds: number): void {
  SESSION.set(exchange, config, token, lifetimeSeconds)
  clearMark(exchange, config)
}

export function setBrowserSessionCookie(exchange: Exchange, config: Config, token: string): void {
  SESSION.setForVisit(exchange, config, token)
  MARK.setForVisit(exchange, config, 'true')
}

export function clearSessionCookie(exchange: Exchange, config: Config): void {
  SESSION.clear(exchange, config)
  clearMark(exchange, config)
}

function clearMark(exchange: Exchange, config: Config): void {
  if (endsWithBrowser(exchange, config)) MARK.clear(exchange, config)
}
