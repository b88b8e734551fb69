import { currentReadPosition } from '../../../database/current-request.ts'
import type { RecentlyUsed } from '../../../database/recently-used.ts'
import { unlessUnavailable } from '../../../database/store.ts'
import type { Exchange } from '../../../http/exchange.ts'
import { ACCOUNT_ID, type FindCaller } from '../../../http/find-caller.ts'
import { languageOf } from '../../../http/requests/languages.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { isBehindGate } from '../../../rules/beta-gate.ts'
import type {
  Caller,
  CallerOrganization,
  GrantCaller,
  GrantCredential,
  SessionCredential,
} from '../../../rules/caller.ts'
import type { Language } from '../../../rules/languages.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { type GrantedScope, isGrantedScope } from '../../../rules/scopes.ts'
import { lacksRequiredFactor } from '../../../rules/second-factor.ts'
import { holds } from '../../../rules/staff.ts'
import { MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import { isOfActing, PREFIX, tokenHash } from '../../../rules/tokens.ts'
import { lacksRequiredVerification } from '../../../rules/verification.ts'
import { admit } from '../../access/grant-calls/admission.ts'
import { grantEnd } from '../../access/grants/lifetimes.ts'
import { touchGrant } from '../../access/grants/statements.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { findActor } from '../sessions/acting.ts'
import { bearerTokenOf, isDue, keepSession, ownSessionCookieOf, sessionCookieOf } from '../sessions/cookie.ts'
import { successorOf } from '../sessions/ending.ts'
import * as users from '../users/statements.ts'
import * as store from './store.ts'

/** Reads the bearer token, or else the cookie; its prefix tells a session from an access token. */
export const findCaller: FindCaller = async (platform, exchange) => {
  const bearer = bearerTokenOf(exchange)
  const cookie = bearer === undefined ? sessionCookieOf(exchange, platform.config) : undefined
  const found = isOfActing(cookie) ? findByActing(platform, cookie) : findByToken(platform, exchange, bearer ?? cookie)
  const caller = await found
  if (!caller) return undefined
  refuseOtherAccount(exchange.header(ACCOUNT_ID), caller)
  exchange.hasCaller = true
  exchange.settingsRevision ??= caller.settingsRevision
  if (caller.shardId !== undefined) currentReadPosition()?.ownShard(caller.shardId)
  return caller
}

/** A page says whose it shows, because another window of the browser can have switched to another account. */
export function refuseOtherAccount(expected: string | undefined, { user }: Caller): void {
  if (expected === undefined || expected === user.id) return
  throw new Refusal('OTHER_ACCOUNT', 'Another account is active in this browser now.')
}

function findByToken(platform: Platform, exchange: Exchange, token = ''): Promise<Caller | undefined> {
  if (token.startsWith(PREFIX.session)) return findBySession(platform, exchange, token)
  if (token.startsWith(PREFIX.access) || token.startsWith(PREFIX.personal)) {
    return findByAccessToken({ platform, exchange }, token, isHere)
  }
  return Promise.resolve(undefined)
}

async function findBySession(platform: Platform, exchange: Exchange, token: string): Promise<Caller | undefined> {
  const row = await findActing(platform, tokenHash(token), BY_SESSION)
  const now = platform.now()
  if (!row || row.expires_at <= now) return undefined
  const session = sessionOf(row)
  const spoken = languageOf(exchange)
  if (spoken !== undefined && spoken !== row.language) await noteLanguage(platform, row.id, spoken)
  // A store that refuses writes can still be read: the session stays as it is, and its next use is noted.
  const kept = isDue(session, now) && (await keepSession(platform, exchange, session, token).catch(unlessUnavailable))
  return callerOf(platform, row, kept || session)
}

/** The administrator, in the browser that acts as a user or did so until it ended by itself. */
export async function findWhoActs(platform: Platform, exchange: Exchange): Promise<Caller | undefined> {
  const { config } = platform
  const token = isOfActing(sessionCookieOf(exchange, config)) ? ownSessionCookieOf(exchange, config) : undefined
  const caller = token === undefined ? undefined : await findBySession(platform, exchange, token)
  return caller?.user.role === 'administrator' ? caller : undefined
}

/** Leaves no trace in the account: the language stays that of the user, who has not used it. */
export async function findByActing(platform: Platform, token = ''): Promise<Caller | undefined> {
  const row = await findActing(platform, tokenHash(token), BY_SESSION)
  return row && callerOf(platform, row, sessionOf(row))
}

/**
 * The browser that was used last says in which language the next letter is. Two browsers in turn, or a program that
 * changes its header, write a few times a minute and not with each request.
 */
async function noteLanguage({ meta, memory, now }: Platform, id: string, spoken: Language): Promise<void> {
  const key = `languages of ${id}, ${Math.floor(now() / MINUTE_MILLISECONDS)}`
  const changes = memory.recall(key) ?? 0
  if (changes === LANGUAGES_A_MINUTE) return
  memory.remember(key, changes + 1)
  await users.setLanguage(meta, id, spoken).execute().catch(unlessUnavailable)
}

const LANGUAGES_A_MINUTE = 4

/** What the row of a caller says of the organisation, if its tables were joined. */
interface Acting {
  /** The organisation that the session or the grant acts in, while its user is a member. */
  readonly acts_in: string | null
}

interface Statements<Row, MemberRow> {
  readonly caller: (platform: Platform['meta'], hash: string) => Promise<readonly Row[]>
  readonly member: (platform: Platform['meta'], hash: string) => Promise<readonly MemberRow[]>
}

/**
 * Finds the caller by one statement: the longer one for those who were last seen to act in an organisation. What is
 * remembered decides nothing, since each row says whether the other statement is needed.
 */
async function findActing<Row extends Acting, MemberRow extends Acting>(
  { meta, actingInOrganizations: known }: Pick<Platform, 'meta' | 'actingInOrganizations'>,
  hash: string,
  { caller, member }: Statements<Row, MemberRow>,
): Promise<Row | MemberRow | undefined> {
  if (known.use(hash) === undefined) {
    const [row] = await caller(meta, hash)
    if (!row || row.acts_in === null) return row
  }
  const [row] = await member(meta, hash)
  remember(known, hash, row)
  return row
}

function remember(known: RecentlyUsed<'yes'>, hash: string, row: Acting | undefined): void {
  if (!row || row.acts_in === null) known.forget(hash)
  else if (known.use(hash) === undefined) known.keep(hash, 'yes')
}

const BY_SESSION = { caller: store.callerBySession, member: store.memberBySession }

/** An administrator or a staff member who acts as a user has shown no credential of that user. */
const NEVER = 0

export type SessionRow = Awaited<ReturnType<typeof store.callerBySession>>[number] & Partial<Membership>

export function sessionOf(row: SessionRow): SessionCredential {
  return {
    kind: 'session',
    id: row.session_id,
    createdAt: row.session_created_at,
    refreshedAt: row.refreshed_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    provenAt: row.acted_by === null ? Math.max(row.session_created_at, row.confirmed_at) : NEVER,
    address: row.ip,
    userAgent: row.user_agent,
  }
}

/** True for a token for this API, which refuses those for `/mcp` or for a product. */
export function isHere(resource: string | null): boolean {
  return resource === null
}

/**
 * Finds the caller by the token of a tool, application or service, or by a personal token, if `isFor` and the route
 * accept it.
 */
export async function findByAccessToken(
  { platform, exchange }: Pick<Call, 'platform' | 'exchange'>,
  token: string,
  isFor: (resource: string | null) => boolean,
): Promise<GrantCaller | undefined> {
  if (!exchange.acceptsGrants) return undefined
  const caller = await findByTokenHash(platform, tokenHash(token), isFor)
  if (caller) await admit(platform, exchange, caller.credential)
  return caller
}

/** Looks up a grant without counting a call, for instance for an open stream. */
export async function findByTokenHash(
  platform: Platform,
  hash: string,
  isFor: (resource: string | null) => boolean,
): Promise<GrantCaller | undefined> {
  const now = platform.now()
  const row = await findActing(platform, hash, BY_ACCESS_TOKEN)
  if (!row || hasEnded(row, now) || !isFor(row.resource)) return undefined
  if ((row.last_used_at ?? 0) < now - TOUCH_EVERY_MILLISECONDS) {
    await touchGrant(platform.meta, row.grant_id, now).catch(unlessUnavailable)
  }
  return callerOf(platform, row, grantOf(row, hash))
}

const TOUCH_EVERY_MILLISECONDS = MINUTE_MILLISECONDS

/**
 * Without `offline_access`, an application's access ends with the session it was given in. A grant in an organisation is
 * good while its user is a member, and the organisation is not suspended.
 */
function hasEnded(row: GrantRow, now: number): boolean {
  if (row.expires_at <= now || row.revoked_at !== null) return true
  if (row.acts_in !== null && membershipOf(row) === undefined) return true
  return row.is_offline === 0 && row.session_id !== null && row.living_session_id === null
}

const BY_ACCESS_TOKEN = { caller: store.callerByAccessToken, member: store.memberByAccessToken }

type GrantRow = Awaited<ReturnType<typeof store.callerByAccessToken>>[number] & Partial<Membership>

function grantOf(row: GrantRow, tokenHash: string | undefined): GrantCredential {
  return {
    kind: 'grant',
    id: row.grant_id,
    tokenHash,
    grantKind: row.grant_kind,
    clientId: row.client_id,
    clientName: row.client_name,
    dailyLimit: row.daily_limit,
    approval: row.approval,
    ...scopesOf(row),
    resource: row.resource,
    act: row.act === null ? null : JSON.parse(row.act),
    createdAt: row.grant_created_at,
    expiresAt: row.grant_kind === 'tool' ? grantEnd(row.grant_created_at) : row.grant_expires_at,
    tokenIssuedAt: row.issued_at,
    tokenExpiresAt: row.expires_at,
    sessionId: row.session_id,
  }
}

/** A token opens no more than what its user holds now, and what the administrator gives its application now. */
function scopesOf(row: GrantRow): Pick<GrantCredential, 'scopes' | 'withheld'> {
  const { grant_kind, application_scopes, application_origin } = row
  const granted = row.scopes.split(' ').filter(isGrantedScope)
  const scopes = granted.filter((scope) => holds(row, scope))
  const withheld = scopes.length === granted.length ? NONE : granted.filter((scope) => !scopes.includes(scope))
  if (grant_kind === 'tool' || grant_kind === 'personal') return { scopes, withheld }
  // Guests have no scope list set by the administrator.
  if (application_origin === 'document' || application_origin === 'registration') return { scopes, withheld }
  const present = new Set(application_scopes?.split(' '))
  return { scopes: scopes.filter((scope) => present.has(scope)), withheld }
}

const NONE: readonly GrantedScope[] = []

/** Looks up a session or grant by its id, without counting a call. Undefined once it has ended. */
export async function findCallerById(
  platform: Platform,
  kind: 'session' | 'grant',
  id: string,
): Promise<Caller | undefined> {
  const now = platform.now()
  if (kind === 'session') {
    const [row] = await store.callerBySessionId(platform.meta, id)
    if (!row || row.expires_at <= now) return undefined
    return callerOf(platform, row, sessionOf(row))
  }
  const [row] = await store.callerByGrantId(platform.meta, id)
  if (!row || hasEnded(row, now)) return undefined
  return callerOf(platform, row, grantOf(row, undefined))
}

type CallerRow = SessionRow | GrantRow

/** Undefined once an administrator who acts as the user may not any more. */
async function callerOf<Credential extends Caller['credential']>(
  platform: Platform,
  row: CallerRow,
  credential: Credential,
): Promise<(Caller & { readonly credential: Credential }) | undefined> {
  const { authentication } = await currentSettings(platform, row.settings_revision)
  const actingIn = row.acted_by !== null && row.session_id
  const actor = actingIn ? await findActor(platform, actingIn, row, authentication) : undefined
  if (actingIn && !actor) return undefined
  return {
    user: row,
    credential,
    shardId: row.shard_id ?? undefined,
    lacksVerification: lacksRequiredVerification(authentication, row),
    lacksFactor: lacksRequiredFactor(authentication, row),
    isGated: isBehindGate(authentication, row),
    settingsRevision: row.settings_revision,
    organization: membershipOf(row),
    actor,
  }
}

type MemberRow = Awaited<ReturnType<typeof store.memberBySession>>[number]
/** The columns of the organisation, which are null unless the user is a member of it. */
type Membership = Pick<
  MemberRow,
  | 'organization_id'
  | 'organization_slug'
  | 'organization_name'
  | 'organization_roles_token'
  | 'member_id'
  | 'member_roles'
  | 'team_id'
>

function membershipOf(row: Partial<Membership>): CallerOrganization | undefined {
  const { organization_id: id, organization_slug: slug, organization_name: name, member_id: memberId } = row
  const { member_roles: roles, organization_roles_token: rolesToken, team_id: teamId = null } = row
  if (!id || !slug || !name || !memberId || !roles || rolesToken === null || rolesToken === undefined) return undefined
  return { id, slug, name, roles: roles.split(','), rolesToken, memberId, teamId }
}

/** Finds the caller even if a password change has just replaced their session by another. */
export async function findSignedIn(platform: Platform, exchange: Exchange): Promise<Caller | undefined> {
  return (await findCaller(platform, exchange)) ?? findSuccessor(platform, exchange)
}

/** Valid for a minute only, so that an old copy of the previous token cannot end a session later. */
async function findSuccessor(platform: Platform, exchange: Exchange): Promise<Caller | undefined> {
  const id = successorOf(platform, exchange)
  const caller = id === undefined ? undefined : await findCallerById(platform, 'session', id)
  const isRecent = (caller?.credential.createdAt ?? 0) > platform.now() - MINUTE_MILLISECONDS
  return isRecent ? caller : undefined
}
