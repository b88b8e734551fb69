import { type Compilable, type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { Query, Rows } from '../../../database/decision.ts'
import { prepared, statements } from '../../../database/prepared.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import type { Exchange } from '../../../http/exchange.ts'
import { languageOf } from '../../../http/requests/languages.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Caller } from '../../../rules/caller.ts'
import { newId } from '../../../rules/ids.ts'
import { networkOf } from '../../../rules/networks.ts'
import { signedOutMeanwhile } from '../../../rules/refusal.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { continentName } from '../../delivery/mail/circumstances/continent.ts'
import { type Act, type Doer, decide, type Refused } from '../../ground/acts/acts.ts'
import { type AskedProduct, methodOf } from '../../ground/hooks/asking.ts'
import { refuseOtherSettings } from '../../ground/settings/current-settings.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { heldRevision } from '../../ground/settings/statements.ts'
import { lockedUser, setLanguage, signedIn } from '../users/statements.ts'
import { lockedActing } from './acting.ts'
import {
  type Beside,
  besideOf,
  type CookieLife,
  endsWithBrowser,
  type Here,
  ownSessionCookieOf,
  putBeside,
  putSessionCookie,
  sessionLifetimeSeconds,
  tokensHere,
} from './cookie.ts'
import { sessionsEnded } from './statements.ts'
import * as store from './store.ts'

export interface NewSession {
  readonly token: string
  /** This browser's other sessions; those that it has, unless the decision has chosen. */
  readonly beside?: readonly Beside[]
}

/** In the decision that signs a user in. The administrator must be able to sign in whatever the product does. */
export function askAbout(
  asked: AskedProduct | undefined,
  { id, email, name, email_verified, role }: UserTable,
  by: string,
): void {
  if (role === 'administrator') return
  asked?.answerTo({ user: { id, email, name, email_verified: email_verified === 1 }, method: methodOf(by) })
}

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
    acted_by: null,
    ...whereabouts(exchange),
  }
  act.write(store.insertSession(meta, row))
  act.record('session.created', { user: { id: userId }, data: { id } })
  const language = languageOf(exchange)
  if (language !== undefined) act.write(setLanguage(meta, userId, language))
  const network = networkOf(exchange.sender.address)
  if (network !== undefined) act.write(store.knowNetwork(meta, { user_id: userId, network, signed_in_at: now }))
  return { token }
}

/**
 * Writes to a user who has signed in before, but neither with this browser nor from this network. Nothing is known of
 * the places of a user who was imported.
 */
export function tellIfUnfamiliar(
  act: Act,
  { exchange }: Here,
  user: Pick<UserTable, 'id' | 'email'>,
  before: readonly { readonly network: string }[],
): void {
  const here = networkOf(exchange.sender.address)
  if (here === undefined || before.length === 0 || before.some(({ network }) => network === here)) return
  act.record('session.unfamiliar', { user })
}

interface NewActing {
  readonly id: string
  readonly userId: string
  readonly token: string
  /** The administrator. */
  readonly by: string
  readonly lifetimeSeconds: number
}

/** The user sees it among their own, but not where the administrator is. */
export function actingSession({ meta, now }: Platform, { id, userId, token, by, lifetimeSeconds }: NewActing) {
  const at = now()
  return store.insertSession(meta, {
    id,
    user_id: userId,
    token_hash: tokenHash(token),
    created_at: at,
    refreshed_at: at,
    expires_at: at + lifetimeSeconds * 1000,
    last_used_at: at,
    confirmed_at: 0,
    ...{ ip: null, user_agent: null, place: null },
    acted_by: by,
  })
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
  const former = ownSessionCookieOf(exchange, config)
  return former === undefined ? undefined : tokenHash(former)
}

/** No user needs that many at once; a program that signs in for each request would leave one each time. */
export const SESSIONS_AT_MOST = 100

/** The least recently used sessions, which opening another one ends. The user must be locked. */
function crowdedOut(platform: Platform, exchange: Exchange, userId: string) {
  return store.crowdedOut(platform.meta, userId, formerHash(platform, exchange) ?? '', SESSIONS_AT_MOST - 1)
}

export interface SessionHere {
  readonly id: string
  readonly user_id: string
  readonly token_hash: string
}

/** A session that this browser holds and that has not ended. */
export interface Held extends Beside {
  readonly id: string
  readonly userId: string
}

/** What opening a session reads about earlier ones: the user's, and those of this browser. */
export function earlierSessions(here: Here, settings: Settings, userId: string) {
  return [crowdedOut(here.platform, here.exchange, userId), sessionsHere(here, settings)] as const
}

/** Undefined while the browser has one account and can have no other: the former session ends by its token. */
export function sessionsHere(here: Here, { authentication }: Settings): Compilable<SessionHere> | undefined {
  const tokens = tokensHere(here)
  const isOnly = tokens.length === 0 || (authentication.accounts_per_browser === 1 && tokens.length === 1)
  return isOnly ? undefined : sessionsWith(here.platform, tokens)
}

export function sessionsWith({ meta, now }: Platform, tokens: readonly Beside[]): Compilable<SessionHere> {
  const hashes = tokens.map(({ token }) => tokenHash(token))
  return store.sessionsWith(meta, JSON.stringify(hashes), now())
}

export function heldOf(tokens: readonly Beside[], rows: readonly SessionHere[]): readonly Held[] {
  return tokens.flatMap((beside) => {
    const hash = tokenHash(beside.token)
    const row = rows.find(({ token_hash }) => token_hash === hash)
    return row ? [{ ...beside, id: row.id, userId: row.user_id }] : []
  })
}

/** The rows of `earlierSessions`. */
type Earlier = readonly [crowded: readonly { readonly id: string }[], here: readonly SessionHere[]]

/**
 * The one place that decides what a new session leaves of this browser's others: a session of the same user is
 * replaced, and past the limit the least recently active ones end. Returns those that stay beside it.
 */
export function endEarlierSessions(
  act: Act,
  call: Here,
  { authentication }: Settings,
  userId: string,
  [crowded, here]: Earlier,
): readonly Beside[] {
  if (crowded.length > 0) endWhere(act, call.platform, idIn(crowded.map(({ id }) => id)), 'crowded_out')
  if (here.length === 0) {
    endFormerSession(act, call)
    return []
  }
  const held = heldOf(tokensHere(call), here)
  const others = held.filter((each) => each.userId !== userId)
  const stay = others.slice(0, authentication.accounts_per_browser - 1)
  const replaced = held.filter((each) => !stay.includes(each)).map(({ id }) => id)
  if (replaced.length > 0) endWhere(act, call.platform, idIn(replaced), 'replaced')
  return stay
}

/** The event comes first, because it is built from the rows that the second statement deletes. */
export function endWhere(act: Act, { meta, now }: Platform, which: Expression<SqlBool>, reason: string): void {
  act.write(sessionsEnded(meta, which, reason, now()), store.deleteSessions(meta, which))
}

/** All must be the user's. */
export async function endSessions({ meta, now }: Platform, userId: string, ids: readonly string[]): Promise<void> {
  const which = idIn(ids)
  await meta.batch([
    lockedUser(meta, userId),
    sessionsEnded(meta, which, 'signed_out', now()),
    store.deleteSessions(meta, which),
  ])
}

export function idIn(ids: readonly string[]) {
  return sql<SqlBool>`session.id in (${sql.join(ids)})`
}

/**
 * Puts the session into the response: cookie for browsers, header for everything else. Unless the user has just
 * chosen, the cookie lasts as long as the browser's last one.
 */
export function giveSession(
  platform: Platform,
  exchange: Exchange,
  { token, beside = besideOf({ platform, exchange }) }: NewSession,
  life: CookieLife = endsWithBrowser(exchange, platform.config) ? 'until the browser closes' : 'lasting',
): void {
  exchange.hasCaller = true
  exchange.opensSession = true
  putSessionCookie(exchange, platform.config, token, life)
  putBeside({ platform, exchange }, token, life, beside)
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
export function lockedSessionOf(meta: Meta, { user, credential, actor }: Caller) {
  const lock = actor ? lockedActing : lockedSession
  return lock(meta, user.id, credential.id)
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
