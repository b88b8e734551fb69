import { currentReadPosition } from '../../../database/current-request.ts'
import { unlessUnavailable } from '../../../database/store.ts'
import type { Exchange } from '../../../http/exchange.ts'
import type { FindCaller } from '../../../http/find-caller.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { isBehindGate } from '../../../rules/beta-gate.ts'
import type { Caller, GrantCaller, GrantCredential, SessionCredential } from '../../../rules/caller.ts'
import { type GrantedScope, isGrantedScope } from '../../../rules/scopes.ts'
import { MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import { PREFIX, tokenHash } from '../../../rules/tokens.ts'
import { admit } from '../../access/grant-calls/admission.ts'
import { grantEnd } from '../../access/grants/lifetimes.ts'
import { touchGrant } from '../../access/grants/statements.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { lacksRequiredFactor, lacksRequiredVerification } from '../../ground/settings/requirements.ts'
import { bearerTokenOf, isDue, keepSession, sessionCookieOf } from '../sessions/cookie.ts'
import { successorOf } from '../sessions/ending.ts'
import * as store from './store.ts'

/** Reads the bearer token, or else the cookie; its prefix tells a session from an access token. */
export const findCaller: FindCaller = async (platform, exchange) => {
  const token = bearerTokenOf(exchange) ?? sessionCookieOf(exchange, platform.config)
  const caller = token === undefined ? undefined : await findByToken(platform, exchange, token)
  if (!caller) return undefined
  exchange.hasCaller = true
  exchange.settingsRevision ??= caller.settingsRevision
  if (caller.shardId !== undefined) currentReadPosition()?.ownShard(caller.shardId)
  return caller
}

function findByToken(platform: Platform, exchange: Exchange, token: string): Promise<Caller | undefined> {
  if (token.startsWith(PREFIX.session)) return findBySession(platform, exchange, token)
  if (token.startsWith(PREFIX.access) || token.startsWith(PREFIX.personal)) {
    return findByAccessToken({ platform, exchange }, token, isHere)
  }
  return Promise.resolve(undefined)
}

async function findBySession(platform: Platform, exchange: Exchange, token: string): Promise<Caller | undefined> {
  const [row] = await store.callerBySession(platform.meta, tokenHash(token))
  const now = platform.now()
  if (!row || row.expires_at <= now) return undefined
  const session = sessionOf(row)
  // A store that refuses writes can still be read: the session stays as it is, and its next use is noted.
  const kept = isDue(session, now) && (await keepSession(platform, exchange, session, token).catch(unlessUnavailable))
  return callerOf(platform, row, kept || session)
}

type SessionRow = Awaited<ReturnType<typeof store.callerBySession>>[number]

function sessionOf(row: SessionRow): SessionCredential {
  return {
    kind: 'session',
    id: row.session_id,
    createdAt: row.session_created_at,
    refreshedAt: row.refreshed_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    provenAt: Math.max(row.session_created_at, row.confirmed_at),
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
  const [row] = await store.callerByAccessToken(platform.meta, hash)
  if (!row || hasEnded(row, now) || !isFor(row.resource)) return undefined
  if ((row.last_used_at ?? 0) < now - TOUCH_EVERY_MILLISECONDS) {
    await touchGrant(platform.meta, row.grant_id, now).catch(unlessUnavailable)
  }
  return callerOf(platform, row, grantOf(row, hash))
}

const TOUCH_EVERY_MILLISECONDS = MINUTE_MILLISECONDS

/** Without `offline_access`, an application's access ends with the session it was given in. */
function hasEnded(row: GrantRow, now: number): boolean {
  if (row.expires_at <= now || row.revoked_at !== null) return true
  return row.is_offline === 0 && row.session_id !== null && row.living_session_id === null
}

type GrantRow = Awaited<ReturnType<typeof store.callerByAccessToken>>[number]

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
    scopes: scopesOf(row),
    resource: row.resource,
    act: row.act === null ? null : JSON.parse(row.act),
    createdAt: row.grant_created_at,
    expiresAt: row.grant_kind === 'tool' ? grantEnd(row.grant_created_at) : row.grant_expires_at,
    tokenIssuedAt: row.issued_at,
    tokenExpiresAt: row.expires_at,
    sessionId: row.session_id,
  }
}

/** An application's token opens no more than what the administrator gives the application now. */
function scopesOf({ scopes, grant_kind, application_scopes, application_origin }: GrantRow): readonly GrantedScope[] {
  const granted = scopes.split(' ').filter(isGrantedScope)
  if (grant_kind === 'tool' || grant_kind === 'personal') return granted
  // Guests have no scope list set by the administrator.
  if (application_origin === 'document' || application_origin === 'registration') return granted
  const present = new Set(application_scopes?.split(' '))
  return granted.filter((scope) => present.has(scope))
}

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

async function callerOf<Credential extends Caller['credential']>(
  platform: Platform,
  row: CallerRow,
  credential: Credential,
): Promise<Caller & { readonly credential: Credential }> {
  const { authentication } = await currentSettings(platform, row.settings_revision)
  return {
    user: row,
    credential,
    shardId: row.shard_id ?? undefined,
    lacksVerification: lacksRequiredVerification(authentication, row),
    lacksFactor: lacksRequiredFactor(authentication, row),
    isGated: isBehindGate(authentication, row),
    settingsRevision: row.settings_revision,
  }
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
