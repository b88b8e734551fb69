import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { Query, Rows } from '../../../database/decision.ts'
import { prepared, statements } from '../../../database/prepared.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import type { Exchange } from '../../../http/exchange.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Caller } from '../../../rules/caller.ts'
import { newId } from '../../../rules/ids.ts'
import { networkOf } from '../../../rules/networks.ts'
import { signedOutMeanwhile } from '../../../rules/refusal.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { continentName } from '../../delivery/mail/circumstances/continent.ts'
import { type Act, type Doer, decide, type Refused } from '../../ground/acts/acts.ts'
import { heldRevision, refuseOtherSettings } from '../../ground/settings/holding.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { lockedUser, signedIn } from '../users/statements.ts'
import {
  endsWithBrowser,
  sessionCookieOf,
  sessionLifetimeSeconds,
  setBrowserSessionCookie,
  setSessionCookie,
} from './cookie.ts'
import { sessionsEnded } from './statements.ts'
import * as store from './store.ts'

export interface NewSession {
  readonly token: string
}

type Here = Pick<Call, 'platform' | 'exchange'>

/** The user must be locked. */
export function newSession(act: Act, here: Here, userId: string, id?: string): NewSession {
  const { meta, now } = here.platform
  const session = firstSession(act, here, userId, id)
  act.write(signedIn(meta, userId, now()), store.forgetOldestNetworks(meta, userId))
  return session
}

/**
 * The user must be created by the same decision, with the time of this sign-in. The store keeps only the hash of the
 * new token.
 */
export function firstSession(act: Act, { platform, exchange }: Here, userId: string, id: string = newId()): NewSession {
  const { meta } = platform
  const now = platform.now()
  const token = newToken('session')
  const row = {
    id,
    user_id: userId,
    token_hash: tokenHash(token),
    created_at: now,
    refreshed_at: now,
    expires_at: now + sessionLifetimeSeconds * 1000,
    last_used_at: now,
    confirmed_at: 0,
    ...whereabouts(exchange),
  }
  act.write(store.insertSession(meta, row))
  act.record('session.created', { user: { id: userId }, data: { id } })
  const network = networkOf(exchange.sender.address)
  if (network !== undefined) act.write(store.knowNetwork(meta, { user_id: userId, network, signed_in_at: now }))
  return { token }
}

/** Where a session or a trusted device is used. */
export function whereabouts({ sender: { address, userAgent, continent } }: Exchange) {
  return { ip: address, user_agent: userAgent, place: (continent && continentName(continent)) ?? null }
}

/** Ends the session that this browser had, which the new one replaces. */
export function endFormerSession(act: Act, { platform, exchange }: Here): void {
  const former = formerHash(platform, exchange)
  if (former !== undefined) act.write(...endReplaced(platform.meta, former, platform.now(), newId()))
}

const endReplaced = statements((meta: Meta, hash: string, now: number, idOfFirst: string) => {
  const which = sql<SqlBool>`session.token_hash = ${hash}`
  return [sessionsEnded(meta, which, 'replaced', now, idOfFirst), store.deleteSessions(meta, which)] as const
})

function formerHash({ config }: Platform, exchange: Exchange): string | undefined {
  const former = sessionCookieOf(exchange, config)
  return former === undefined ? undefined : tokenHash(former)
}

/** No user needs that many at once; a program that signs in for each request would leave one each time. */
export const SESSIONS_AT_MOST = 100

/** The least recently used sessions, which opening another one ends. The user must be locked. */
export function crowdedOut(platform: Platform, exchange: Exchange, userId: string) {
  return store.crowdedOut(platform.meta, userId, formerHash(platform, exchange) ?? '', SESSIONS_AT_MOST - 1)
}

/** Ends the replaced session and those crowded out, except any that have ended meanwhile. */
export function endEarlierSessions(act: Act, here: Here, crowded: readonly { readonly id: string }[]): void {
  endFormerSession(act, here)
  if (crowded.length === 0) return
  endWhere(act, here.platform, idIn(crowded.map(({ id }) => id)), 'crowded_out')
}

/** The event comes first, because it is built from the rows that the second statement deletes. */
export function endWhere(act: Act, { meta, now }: Platform, which: Expression<SqlBool>, reason: string): void {
  act.write(sessionsEnded(meta, which, reason, now()), store.deleteSessions(meta, which))
}

export function idIn(ids: readonly string[]) {
  return sql<SqlBool>`session.id in (${sql.join(ids)})`
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

/** One of the user's sessions, locked so that it cannot end before the commit. The user must be locked first. */
export function lockedSession(meta: Meta, userId: string, id: string) {
  return locked(meta, { userId, id })
}

const locked = prepared({ userId: '', id: '' }, (db: Kysely<MetaTables>, { userId, id }) =>
  store.sessionOf(db, userId, id).$call(lockRows(db)),
)

/** Locks the session of the request. Returns no row if it has ended since the caller was found. */
export function lockedSessionOf(meta: Meta, { user, credential }: Caller) {
  return lockedSession(meta, user.id, credential.id)
}

interface SignedInDoer extends Doer {
  readonly caller: Caller
  /** The settings the act was checked against, if any. */
  readonly settings?: Pick<Settings, 'revision'>
}

/**
 * Decides about the caller's own account, which stays as it is until the commit: whatever changes a user's access locks
 * the user's row first. Refuses a caller who was signed out since the request was authenticated.
 */
export function decideSignedIn<const Queries extends readonly Query[], T>(
  call: SignedInDoer,
  first: Queries,
  work: (act: Act, user: UserTable, ...rows: Rows<Queries>) => Promise<T | Refused>,
): Promise<T> {
  const { platform, caller, settings } = call
  const { meta } = platform
  return decide(
    call,
    [settings && heldRevision(meta), lockedUser(meta, caller.user.id), lockedSessionOf(meta, caller), ...first],
    async (act, revisions, [user], [session], ...rows) => {
      if (settings) refuseOtherSettings(settings, revisions)
      if (!user || !session) throw signedOutMeanwhile()
      return work(act, user, ...(rows as unknown as Rows<Queries>))
    },
  )
}
