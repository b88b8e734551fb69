import { type Compilable, type Expression, type SqlBool, sql } from 'kysely'
import { v7 as newId } from 'uuid'
import { batchBehind, type Guard } from '../../../database/guard.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import type { Exchange } from '../../../http/exchange.ts'
import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Caller } from '../../../rules/caller.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { HOUR_SECONDS } from '../../../rules/time.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { continentName } from '../../delivery/mail/circumstances/continent.ts'
import { guardUser, signedIn } from '../users/statements.ts'
import { endsWithBrowser, sessionCookieOf, setBrowserSessionCookie, setSessionCookie } from './cookie.ts'
import { sessionCreated, sessionsEnded } from './events.ts'
import { sessionLifetimeSeconds } from './lifetime.ts'
import * as secondSteps from './second-step/store.ts'
import * as store from './store.ts'

export interface NewSession {
  readonly id: string
  readonly token: string
  readonly expiresAt: number
  /** For a decision that has locked the user, or the batch that creates it. */
  readonly statements: readonly Compilable<unknown>[]
}

/** Each sign-in gives a new token; the store keeps only its hash. */
export function newSession(platform: Platform, exchange: Exchange, userId: string): NewSession {
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
    place: continentName(continent) ?? null,
  }
  const { meta } = platform
  const statements = [
    store.insertSession(meta, row),
    sessionCreated(meta, id, now),
    signedIn(meta, userId, now),
  ]
  return { id, token, expiresAt, statements }
}

/** A sign-in replaces the session that this browser had; for the batch that begins the new one. */
export function endFormerSession(platform: Platform, exchange: Exchange, { id }: NewSession) {
  const former = formerHash(platform, exchange)
  return former === undefined ? [] : endWhere(platform, store.isReplaced(former, id), 'replaced')
}

function formerHash({ config }: Platform, exchange: Exchange): string | undefined {
  const former = sessionCookieOf(exchange, config)
  return former === undefined ? undefined : tokenHash(former)
}

/** Nobody uses as many at once; a program that signs in for each request would leave one each time. */
export const SESSIONS_AT_MOST = 100

/** For a decision that has locked the user and opens a session: the least recently used ones that it ends. */
export function crowdedOut(platform: Platform, exchange: Exchange, userId: string) {
  return store.crowdedOut(platform.meta, userId, formerHash(platform, exchange) ?? '', SESSIONS_AT_MOST)
}

/** The replaced session and those crowded out; the ones that have ended meanwhile are left out. */
export function endEarlierSessions(
  platform: Platform,
  exchange: Exchange,
  session: NewSession,
  crowded: readonly { readonly id: string }[],
) {
  const former = endFormerSession(platform, exchange, session)
  if (crowded.length === 0) return former
  const ids = crowded.map(({ id }) => id)
  return [...former, ...endWhere(platform, sql<SqlBool>`session.id in (${sql.join(ids)})`, 'crowded_out')]
}

/**
 * The event comes first, because it is built from the rows; the second statement deletes them and returns
 * their ids.
 */
function endWhere({ meta, now }: Platform, which: Expression<SqlBool>, reason: string) {
  return [sessionsEnded(meta, which, reason, now()), store.deleteSessions(meta, which)] as const
}

export type CookieLife = 'lasting' | 'until the browser closes'

/**
 * Puts the session into the response: cookie for browsers, header for everything else. Unless the user has just
 * chosen, the cookie lasts as long as the browser's last one.
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

/** Takes effect at once, in every process. */
export async function endSession(platform: Platform, id: string): Promise<void> {
  await platform.meta.batch(endWhere(platform, sql<SqlBool>`session.id = ${id}`, 'signed_out'))
}

interface Traces {
  /** Runs while the session is locked and has not ended. */
  readonly entry: Compilable<unknown>
  readonly letter: readonly Compilable<unknown>[]
}

/** False if the caller has no such session. */
export async function endSessionOf(
  platform: Platform,
  caller: Caller,
  id: string,
  { entry, letter }: Traces,
): Promise<boolean> {
  const { meta } = platform
  const userId = caller.user.id
  const [event, deletion] = endWhere(platform, store.isSessionOf(userId, id), 'revoked')
  const rows = await batchBehind(meta, whileSignedIn(platform, caller), [
    store.sessionOf(meta, userId, id).$call(lockRows(meta)),
    entry,
    event,
    deletion,
    ...letter,
  ])
  return rows.of(deletion).length === 1
}

/** A condition: the caller has not been signed out since the request was authenticated. */
export function stillSignedIn(meta: Meta, { user, credential }: Caller) {
  return store.sessionOf(meta, user.id, credential.id)
}

/** For a batch that checks `stillSignedIn` more than once: the result stays the same, since a sign-out waits. */
export function holdSession(meta: Meta, caller: Caller) {
  return stillSignedIn(meta, caller).$call(lockRows(meta))
}

/** For a batch that must change nothing if the caller was signed out since the request was authenticated. */
export function whileSignedIn({ meta }: Platform, caller: Caller): Guard {
  return guardUser(meta, caller.user.id, stillSignedIn(meta, caller), signedOutMeanwhile)
}

export function signedOutMeanwhile(cause?: unknown): Refusal {
  return new Refusal('UNAUTHORIZED', 'You were signed out meanwhile.', { cause })
}

/** For a decision that has locked the user. */
export function endOwnSession(platform: Platform, { user, credential }: Caller, reason: string) {
  return endWhere(platform, store.isSessionOf(user.id, credential.id), reason)
}

const ENDED_AT_ONCE = 100

export function sessionSweep(platform: Platform): Job {
  return {
    name: 'session-sweep',
    everySeconds: HOUR_SECONDS,
    async run() {
      while ((await endExpired(platform)) === ENDED_AT_ONCE);
      await secondSteps.deleteExpired(platform.meta, platform.now())
    },
  }
}

/** Each in its own batch: a sweep that locked many rows could deadlock with a user's deletion. */
async function endExpired(platform: Platform): Promise<number> {
  const { meta, now } = platform
  const expired = await store.expiredSessions(meta, now(), ENDED_AT_ONCE)
  const isExpired = (id: string) => sql<SqlBool>`session.id = ${id} and session.expires_at <= ${now()}`
  await Promise.all(expired.map(({ id }) => meta.batch(endWhere(platform, isExpired(id), 'expired'))))
  return expired.length
}
