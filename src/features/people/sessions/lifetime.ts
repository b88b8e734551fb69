import type { Exchange } from '../../../http/exchange.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { SessionCredential } from '../../../rules/caller.ts'
import { DAY_MILLISECONDS, DAY_SECONDS, MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import { bearerTokenOf, endsWithBrowser, setSessionCookie } from './cookie.ts'
import * as store from './store.ts'

export const sessionLifetimeSeconds = 30 * DAY_SECONDS
const REFRESH_AFTER_MILLISECONDS = 27 * DAY_MILLISECONDS
const TOUCH_EVERY_MILLISECONDS = 5 * MINUTE_MILLISECONDS

/**
 * A session is not extended for 27 days; its first use after that extends it to 30 days from then. Its cookie
 * is extended too, unless it ends with the browser. Most uses change nothing.
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
  if (now - session.lastUsedAt < TOUCH_EVERY_MILLISECONDS) return session
  await store.touchSession(platform.meta, session.id, now)
  return { ...session, lastUsedAt: now }
}
