import type { Config } from '../../../config/config.ts'
import { ownCookie } from '../../../http/answers/own-cookie.ts'
import type { Exchange } from '../../../http/exchange.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { SessionCredential } from '../../../rules/caller.ts'
import { DAY_MILLISECONDS, DAY_SECONDS, MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import * as store from './store.ts'

export const sessionLifetimeSeconds = 30 * DAY_SECONDS
const REFRESH_AFTER_MILLISECONDS = 27 * DAY_MILLISECONDS
const TOUCH_EVERY_MILLISECONDS = 5 * MINUTE_MILLISECONDS

const SESSION = ownCookie('session')
/** Marks a session cookie that ends with the browser, so that a renewal does not make it last. */
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

/** Most uses of a session write nothing. */
export function isDue({ refreshedAt, lastUsedAt }: SessionCredential, now: number): boolean {
  return now - refreshedAt >= REFRESH_AFTER_MILLISECONDS || now - lastUsedAt >= TOUCH_EVERY_MILLISECONDS
}

/**
 * A session is not extended for 27 days; its first use after that extends it to 30 days from then. Its cookie
 * is extended too, unless it ends with the browser.
 */
export async function keepSession(
  platform: Platform,
  exchange: Exchange,
  session: SessionCredential,
  token: string,
): Promise<SessionCredential> {
  const now = platform.now()
  if (now - session.refreshedAt >= REFRESH_AFTER_MILLISECONDS) {
    const expiresAt = now + sessionLifetimeSeconds * 1000
    await store.extendSession(platform.meta, session.id, { refreshed_at: now, expires_at: expiresAt })
    if (bearerTokenOf(exchange) === undefined && !endsWithBrowser(exchange, platform.config)) {
      setSessionCookie(exchange, platform.config, token, sessionLifetimeSeconds)
    }
    return { ...session, refreshedAt: now, expiresAt }
  }
  await store.touchSession(platform.meta, session.id, now)
  return { ...session, lastUsedAt: now }
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
