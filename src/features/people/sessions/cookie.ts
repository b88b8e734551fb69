import { z } from 'zod'
import type { Config } from '../../../config/config.ts'
import { ownCookie, SESSION_COOKIE } from '../../../http/answers/own-cookie.ts'
import type { Exchange } from '../../../http/exchange.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { openIfOurs } from '../../../platform/secrets/secret-box.ts'
import type { SessionCredential } from '../../../rules/caller.ts'
import { DAY_MILLISECONDS, DAY_SECONDS, MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import { isOfActing, tokenHash } from '../../../rules/tokens.ts'
import * as store from './store.ts'

export type Here = Pick<Call, 'platform' | 'exchange'>

export const sessionLifetimeSeconds = 30 * DAY_SECONDS
const REFRESH_AFTER_MILLISECONDS = 27 * DAY_MILLISECONDS
const TOUCH_EVERY_MILLISECONDS = 5 * MINUTE_MILLISECONDS

/** Marks a session cookie that ends with the browser, so that a renewal does not make it last. */
const MARK = ownCookie('dont_remember')
/** The administrator's own session, while the session cookie is that of the user as whom the administrator acts. */
const ADMINISTRATORS = ownCookie('admin_session')

export function sessionCookieOf(exchange: Exchange, config: Config): string | undefined {
  return SESSION_COOKIE.of(exchange, config)
}

/** The session that this browser has of its own, also while the administrator acts as a user. */
export function ownSessionCookieOf(exchange: Exchange, config: Config): string | undefined {
  const token = sessionCookieOf(exchange, config)
  return isOfActing(token) ? ADMINISTRATORS.of(exchange, config) : token
}

/** The browser keeps the administrator's own session beside that of the user. */
export function setActingCookie(exchange: Exchange, config: Config, token: string, lifetimeSeconds: number): void {
  const own = sessionCookieOf(exchange, config)
  if (own !== undefined && endsWithBrowser(exchange, config)) ADMINISTRATORS.setForVisit(exchange, config, own)
  else if (own !== undefined) ADMINISTRATORS.set(exchange, config, own, sessionLifetimeSeconds)
  SESSION_COOKIE.set(exchange, config, token, lifetimeSeconds)
}

/** It lasts as the administrator chose at the sign-in. */
export function giveBackSession(exchange: Exchange, config: Config): void {
  const token = ownSessionCookieOf(exchange, config)
  if (token === undefined) return
  exchange.opensSession = true
  putSessionCookie(exchange, config, token, endsWithBrowser(exchange, config) ? 'until the browser closes' : 'lasting')
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
      putSessionCookie(exchange, platform.config, token, 'lasting')
    }
    return { ...session, refreshedAt: now, expiresAt }
  }
  await store.touchSession(platform.meta, session.id, now)
  return { ...session, lastUsedAt: now }
}

export function endsWithBrowser(exchange: Exchange, config: Config): boolean {
  return MARK.of(exchange, config) !== undefined
}

export type CookieLife = 'lasting' | 'until the browser closes'

export function putSessionCookie(exchange: Exchange, config: Config, token: string, life: CookieLife): void {
  if (life === 'lasting') {
    SESSION_COOKIE.set(exchange, config, token, sessionLifetimeSeconds)
    clearMark(exchange, config)
  } else {
    SESSION_COOKIE.setForVisit(exchange, config, token)
    MARK.setForVisit(exchange, config, 'true')
  }
  clearAdministrators(exchange, config)
}

export function clearSessionCookie(exchange: Exchange, config: Config): void {
  SESSION_COOKIE.clear(exchange, config)
  clearMark(exchange, config)
  clearAdministrators(exchange, config)
}

function clearAdministrators(exchange: Exchange, config: Config): void {
  if (ADMINISTRATORS.of(exchange, config) !== undefined) ADMINISTRATORS.clear(exchange, config)
}

function clearMark(exchange: Exchange, config: Config): void {
  if (endsWithBrowser(exchange, config)) MARK.clear(exchange, config)
}

/** More than the settings allow at once. */
const ACCOUNTS_AT_MOST = 5

const BESIDE = ownCookie('accounts')

const Beside = z.object({
  token: z.string(),
  /** False for a session that ends with the browser. */
  lasts: z.boolean(),
})
const AllBeside = z.array(Beside).max(ACCOUNTS_AT_MOST - 1)

/** A session that this browser holds while another one is active. */
export type Beside = z.output<typeof Beside>

/**
 * The sessions beside the active one, the most recently active first. They are sealed for that session, so the cookie
 * is worth nothing to another browser. A cookie that cannot be read counts as absent, and a program has none.
 */
export function besideOf({ platform, exchange }: Here): readonly Beside[] {
  const sealed = BESIDE.of(exchange, platform.config)
  const active = ownSessionCookieOf(exchange, platform.config)
  if (sealed === undefined || active === undefined || bearerTokenOf(exchange) !== undefined) return NONE
  const text = openIfOurs(platform.secretBox, sealedFor(active), sealed)
  return (text !== undefined && AllBeside.safeParse(JSON.parse(text)).data) || NONE
}

const NONE: readonly Beside[] = []

/** Goes with each session cookie that is set or cleared. It ends with the browser as soon as one of its sessions does. */
export function putBeside(here: Here, token: string, life: CookieLife, beside: readonly Beside[]): void {
  const { exchange, platform } = here
  const { config, secretBox } = platform
  if (beside.length === 0) {
    clearBeside(here)
    return
  }
  const sealed = secretBox.seal(sealedFor(token), JSON.stringify(beside.map(({ token, lasts }) => ({ token, lasts }))))
  const lasts = life === 'lasting' && beside.every((each) => each.lasts)
  if (lasts) BESIDE.set(exchange, config, sealed, sessionLifetimeSeconds)
  else BESIDE.setForVisit(exchange, config, sealed)
}

export function clearBeside({ platform: { config }, exchange }: Here): void {
  if (BESIDE.of(exchange, config) !== undefined) BESIDE.clear(exchange, config)
}

/** The tokens that this browser's cookies hold, the active one first. */
export function tokensHere(here: Here): readonly Beside[] {
  const active = activeHere(here)
  return active ? [active, ...besideOf(here)] : NONE
}

/** The session of the cookie, which can have ended. */
export function activeHere({ platform: { config }, exchange }: Here): Beside | undefined {
  const token = ownSessionCookieOf(exchange, config)
  return token === undefined ? undefined : { token, lasts: !endsWithBrowser(exchange, config) }
}

export function lifeOf({ lasts }: Pick<Beside, 'lasts'>): CookieLife {
  return lasts ? 'lasting' : 'until the browser closes'
}

function sealedFor(token: string): string {
  return `accounts beside ${tokenHash(token)}`
}
