import type { Compilable, Expression } from 'kysely'
import { v7 as newId } from 'uuid'
import type { Meta } from '../../database/store.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { Job } from '../../platform/background.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Caller } from '../../rules/caller.ts'
import { HOUR_SECONDS } from '../../rules/time.ts'
import { newToken, tokenHash } from '../../rules/tokens.ts'
import { placeInWords } from '../mail/place.ts'
import { endsWithBrowser, sessionCookieOf, setBrowserSessionCookie, setSessionCookie } from './cookie.ts'
import { sessionLifetimeSeconds } from './lifetime.ts'
import * as secondSteps from './second-step-store.ts'
import * as store from './store.ts'

export interface NewSession {
  readonly id: string
  readonly token: string
  readonly expiresAt: number
  /** For a batch that begins with `lockUser`, or that makes the user. */
  readonly statement: Compilable<{ readonly id: string }>
}

/** Each sign-in gives a new token; the store keeps only its hash. */
export function newSession(
  platform: Platform,
  exchange: Exchange,
  userId: string,
  onlyIf?: Expression<unknown>,
): NewSession {
  const { address, userAgent, continent } = exchange.client
  const now = platform.now()
  const id = newId()
  const token = newToken('session')
  const expiresAt = now + sessionLifetimeSeconds * 1000
  const row = {
    id,
    user_id: userId,
    token_hash: tokenHash(token),
    created_at: now,
    refreshed_at: now,
    expires_at: expiresAt,
    last_used_at: now,
    confirmed_at: 0,
    ip: address,
    user_agent: userAgent,
    place: placeInWords(continent) ?? null,
  }
  const statement = store.insertSession(platform.meta, row, onlyIf)
  return { id, token, expiresAt, statement }
}

/** A sign-in replaces the session that this browser had; for the batch that begins the new one. */
export function endFormerSession({ meta, config }: Platform, exchange: Exchange, { id }: NewSession) {
  return store.deleteReplacedSession(meta, tokenHash(sessionCookieOf(exchange, config) ?? ''), id)
}

export type CookieLife = 'lasting' | 'until the browser closes'

/**
 * The answer carries the session: cookie for browsers, header for everything else. Unless the user has just
 * chosen, the cookie lives as the browser's last one did.
 */
export function giveSession(
  { config }: Platform,
  exchange: Exchange,
  { token }: NewSession,
  life: CookieLife = endsWithBrowser(exchange, config) ? 'until the browser closes' : 'lasting',
): void {
  exchange.hasCaller = true
  exchange.opensSession = true
  if (life === 'lasting') setSessionCookie(exchange, config, token, sessionLifetimeSeconds)
  else setBrowserSessionCookie(exchange, config, token)
  exchange.setHeader('set-auth-token', token)
}

/** Gone at once, in every process. */
export async function endSession({ meta }: Platform, id: string): Promise<void> {
  await store.deleteSession(meta, id)
}

/** A condition: the caller has not been signed out since the request was authenticated. */
export function stillSignedIn(meta: Meta, { user, credential }: Caller) {
  return store.sessionOf(meta, user.id, credential.id)
}

/** One, for a batch with a condition of its own. */
export function endSessionIf({ meta }: Platform, userId: string, id: string, onlyIf: Expression<unknown>) {
  return store
    .deleteSessionsOf(meta, userId)
    .where('id', '=', id)
    .where(({ exists }) => exists(onlyIf))
}

export function sessionSweep({ meta, now }: Platform): Job {
  return {
    name: 'session-sweep',
    everySeconds: HOUR_SECONDS,
    async run() {
      await store.deleteExpiredSessions(meta, now())
      await secondSteps.deleteExpired(meta, now())
    },
  }
}
