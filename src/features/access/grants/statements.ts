import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import type { ApiGrantTable } from '../../../database/schema/products/grants.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { among } from '../../../database/sql/conditions.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import { sweepRows } from '../../../database/sql/sweep-rows.ts'
import type { Meta } from '../../../database/store.ts'
import { livingMembership } from '../../people/memberships/statements.ts'
import { sessionIds } from '../../people/sessions/statements.ts'
import { grantsRevoked, notRevoked } from './revoked-statements.ts'
import { forgetSignInsOf } from './sign-in-statements.ts'

export function grantsOf(meta: Meta, userId: string) {
  return meta
    .selectFrom('api_grant')
    .select(['id', 'client_name', 'kind', 'target_origin', 'scopes', 'created_at', 'last_used_at', 'revoked_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
}

/** When each of these users last used a grant that still exists. */
export function grantUsesOf(db: Kysely<MetaTables>, userIds: readonly string[]) {
  return db
    .selectFrom('api_grant')
    .select(['user_id', ({ fn }) => fn.max('last_used_at').as('used_at')])
    .where('user_id', 'in', userIds)
    .groupBy('user_id')
}

type PersonalGrant = Pick<
  ApiGrantTable,
  'id' | 'user_id' | 'client_name' | 'target_origin' | 'scopes' | 'organization_id' | 'created_at' | 'expires_at'
>

/** Inserts the grant with its one token, which is valid as long as the grant. */
export function insertPersonalGrant(meta: Meta, grant: PersonalGrant, tokenHash: string) {
  const { id, scopes, created_at, expires_at } = grant
  const token = { token_hash: tokenHash, grant_id: id, scopes, resource: null, created_at, expires_at }
  return [
    meta.insertInto('api_grant').values({ ...grant, ...PERSONAL_GRANT }),
    meta.insertInto('access_token').values(token),
  ] as const
}

/** The most tokens for one user, including ended ones that are still listed. */
export const MOST_PERSONAL_TOKENS = 500

/** The user must be locked. */
export function countPersonalTokens(db: Kysely<MetaTables>, userId: string) {
  return db
    .selectFrom('api_grant')
    .select((eb) => eb.fn.countAll<number>().as('tokens'))
    .where('api_grant.user_id', '=', userId)
    .where('api_grant.kind', '=', PERSONAL)
}

export const PERSONAL = 'personal'
const PERSONAL_GRANT = { client_id: PERSONAL, kind: PERSONAL, is_offline: 0, approval: 'none' } as const

/** Whose they are, and the names of their clients. */
export async function holdersOf(meta: Meta, ids: readonly string[]) {
  if (ids.length === 0) return []
  return meta.selectFrom('api_grant').select(['id', 'user_id', 'client_name']).where('id', 'in', ids).execute()
}

export async function touchGrant(meta: Meta, id: string, now: number): Promise<void> {
  await meta.updateTable('api_grant').set({ last_used_at: now }).where('id', '=', id).execute()
}

/** The grants must be locked, and the decision must record the end of each. */
export function revokeGrants(meta: Meta, ids: readonly string[], now: number) {
  return meta.updateTable('api_grant').set({ revoked_at: now }).where('id', 'in', ids)
}

/** The grants' rows are locked first, as in a refresh. */
export function endGrantsOf(meta: Meta, userId: string, now: number) {
  return [
    ...endGrantsWhere(meta, sql<SqlBool>`api_grant.user_id = ${userId}`, now),
    meta.deleteFrom('consent').where('user_id', '=', userId),
  ] as const
}

/** Ends the grants that act in the organisation, and requests for such. Locks the grants first, like a refresh. */
export function endGrantsIn(meta: Meta, organizationId: string, userId: string, now: number) {
  const which = sql<SqlBool>`api_grant.organization_id = ${organizationId} and api_grant.user_id = ${userId}`
  return [
    ...endGrantsWhere(meta, which, now),
    endRequestsOf(meta, userId, now).where('organization_id', '=', organizationId),
  ] as const
}

/** Ends at most so many grants of all its members, once the organisation is deleted. */
export function endSomeGrantsIn(meta: Meta, organizationId: string, now: number, atMost: number) {
  const some = meta
    .selectFrom('api_grant')
    .select('api_grant.id')
    .where('organization_id', '=', organizationId)
    .where(notRevoked)
    .orderBy('api_grant.id')
    .limit(atMost)
  return endGrantsWhere(meta, sql<SqlBool>`api_grant.id in (${some})`, now)
}

/**
 * Follows the deletion of the application's row. Giving access locks that row, so every grant made before is seen
 * here, and none can be made after.
 */
export function endGrantsOfClient(meta: Meta, clientId: string, now: number) {
  return [
    ...endExchangedBy(meta, clientId),
    ...endGrantsWhere(meta, sql<SqlBool>`api_grant.client_id = ${clientId}`, now),
    meta.deleteFrom('consent').where('client_id', '=', clientId),
    forgetSignInsOf(meta, clientId),
    meta
      .updateTable('authorization_request')
      .set({ state: 'denied' })
      .where('client_id', '=', clientId)
      .where('state', 'in', ['pending', 'approved']),
  ] as const
}

/** Follows the change of the application's row, for the same reason. Other kinds of application have no such grants. */
export function endGrantsOfService(meta: Meta, clientId: string, now: number) {
  const which = sql<SqlBool>`api_grant.client_id = ${clientId} and api_grant.kind = 'service'`
  return [...endExchangedBy(meta, clientId), ...endGrantsWhere(meta, which, now)] as const
}

/**
 * Ends the tokens that the service got in exchange for users' tokens, and those that others got for these in turn.
 * Locks all the grants concerned in one order.
 */
function endExchangedBy(meta: Meta, clientId: string) {
  const through = meta.selectFrom('access_token').select('grant_id').where('actor_id', '=', clientId)
  const own = meta.selectFrom('api_grant').select('id as grant_id').where('client_id', '=', clientId)
  return [
    meta
      .selectFrom('api_grant')
      .select('api_grant.id')
      .where('id', 'in', through.union(own))
      .orderBy('api_grant.id')
      .$call(lockRows(meta)),
    endWithExchanged(meta, (token) => token('actor_id', '=', clientId)),
  ] as const
}

/** Deletes exchanged tokens, with those that were exchanged for them. Their grants must be locked. */
export function endWithExchanged(
  meta: Meta,
  which: (token: ExpressionBuilder<MetaTables, 'access_token'>) => Expression<SqlBool>,
) {
  return meta
    .withRecursive('ended', (db) =>
      db
        .selectFrom('access_token')
        .select('access_token.token_hash')
        .where(which)
        .union((further) =>
          further
            .selectFrom('access_token')
            .innerJoin('ended', 'ended.token_hash', 'access_token.subject_hash')
            .select('access_token.token_hash'),
        ),
    )
    .deleteFrom('access_token')
    .where('token_hash', 'in', (eb) => eb.selectFrom('ended').select('ended.token_hash'))
}

/** The services that hold living exchanged tokens of these grants. */
export async function actorsOfGrants(meta: Meta, ids: readonly string[], now: number) {
  if (ids.length === 0) return []
  return meta
    .selectFrom('access_token')
    .select(['grant_id', 'actor_id'])
    .distinct()
    .where('grant_id', 'in', ids)
    .where('expires_at', '>', now)
    .where('actor_id', 'is not', null)
    .orderBy('actor_id')
    .execute()
}

/**
 * Revoking locks the grants' rows, as a refresh does: no token is issued to them afterwards. Existing tokens are
 * invalid from then on; they can be so many that the sweep deletes them in parts.
 */
function endGrantsWhere(meta: Meta, which: Expression<SqlBool>, now: number) {
  return [
    grantsRevoked(meta, which, now),
    meta.updateTable('api_grant').set({ revoked_at: now }).where(which).where(notRevoked),
  ] as const
}

/**
 * Denies requests that are pending, or approved but not yet redeemed. The user must be locked; deciding and redeeming
 * lock the user first.
 */
export function endRequestsOf(meta: Meta, userId: string, now: number) {
  return meta
    .updateTable('authorization_request')
    .set({ state: 'denied' })
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .where('state', 'in', ['pending', 'approved'])
}

/** A subquery for the ids of grants. */
export type GrantIds = ReturnType<typeof grantIdsOf>

export function grantIdsOf(meta: Meta, userId: string) {
  return meta.selectFrom('api_grant').select('api_grant.id').where('api_grant.user_id', '=', userId)
}

/**
 * Deletes in parts what a user's connections have left behind: deleting it all together with the user could delay
 * everybody. It deletes only ended rows, so it can run before the decision.
 */
export async function forgetEndedAccess(meta: Meta, userId: string, now: number): Promise<void> {
  const grants = grantIdsOf(meta, userId)
  await sweepRows(meta, 'refresh_token', 'token_hash', (row) =>
    row.and([row('grant_id', 'in', grants), row('used_at', 'is not', null)]),
  )
  await sweepRows(meta, 'access_token', 'token_hash', (row) =>
    row.and([row('grant_id', 'in', grants), row('expires_at', '<=', now)]),
  )
  await sweepRows(meta, 'api_grant', 'id', (row) =>
    row.and([row('user_id', '=', userId), row.or([row('revoked_at', 'is not', null), row('expires_at', '<=', now)])]),
  )
  await sweepRows(meta, 'authorization_request', 'id', (row) =>
    row.and([row('user_id', '=', userId), row('expires_at', '<=', now)]),
  )
}

/**
 * Locks these rows before the user is deleted: the cascades would lock them in another order than ending an
 * application's access does, and the two could deadlock.
 */
export function lockAccessOf(meta: Meta, userId: string) {
  return [
    meta
      .selectFrom('api_grant')
      .select('api_grant.id')
      .where('user_id', '=', userId)
      .orderBy('api_grant.id')
      .$call(lockRows(meta)),
    meta.selectFrom('consent').select('consent.client_id').where('user_id', '=', userId).$call(lockRows(meta)),
    meta
      .selectFrom('authorization_request')
      .select('authorization_request.id')
      .where('user_id', '=', userId)
      .$call(lockRows(meta)),
  ] as const
}

/** A condition for lists, which take no lock: without `offline_access`, access ends with the session. */
export function endedWithSession(db: Kysely<MetaTables>) {
  return sql<SqlBool>`(is_offline = 0 and session_id is not null and not exists ${sessionIds(db).whereRef(
    'session.id',
    '=',
    sql.ref('api_grant.session_id'),
  )})`
}

export function notEnded(db: Kysely<MetaTables>, now: number) {
  return sql<boolean>`(api_grant.revoked_at is null and api_grant.expires_at > ${now} and not ${endedWithSession(db)})`
}

/** Returns a row if the grant can still be used. */
export function livingGrant(db: Kysely<MetaTables>, id: Expression<string>, now: number) {
  return db.selectFrom('api_grant').select('api_grant.id').where('api_grant.id', '=', id).where(notEnded(db, now))
}

/** Returns a row if the access token has not expired. */
export function livingToken(db: Kysely<MetaTables>, hash: Expression<string>, now: number) {
  return db
    .selectFrom('access_token')
    .select('access_token.grant_id')
    .where('access_token.token_hash', '=', hash)
    .where('access_token.expires_at', '>', now)
}

/** Returns the hashes of access tokens that are still valid. */
export async function validTokens(meta: Meta, hashes: readonly string[], now: number): Promise<readonly string[]> {
  const living = await meta.primary
    .selectFrom('access_token')
    .innerJoin('api_grant', 'api_grant.id', 'access_token.grant_id')
    .select('access_token.token_hash')
    .where(among('access_token.token_hash', hashes))
    .where('access_token.expires_at', '>', now)
    .where(notEnded(meta, now))
    .where((grant) =>
      grant.or([
        grant('api_grant.organization_id', 'is', null),
        grant.exists(livingMembership(meta, sql.ref('api_grant.user_id'), sql.ref('api_grant.organization_id'))),
      ]),
    )
    .execute()
  return living.map(({ token_hash }) => token_hash)
}

/** Grants whose session has ended: without `offline_access`, access ends with it. */
export async function grantsEndedWith(meta: Meta, sessionIds: readonly string[]) {
  if (sessionIds.length === 0) return []
  return meta.primary
    .selectFrom('api_grant')
    .select(['id', 'session_id'])
    .where('session_id', 'in', sessionIds)
    .where('session_id', 'is not', null)
    .where(sql<SqlBool>`is_offline = 0`)
    .execute()
}

/** The session that a grant ends with, which keeps no access offline. */
export async function sessionOfGrant(meta: Meta, id: string): Promise<string | undefined> {
  const query = meta
    .selectFrom('api_grant')
    .select('session_id')
    .where('id', '=', id)
    .where(sql<SqlBool>`is_offline = 0`)
  return (await query.executeTakeFirst())?.session_id ?? undefined
}

/** Locks one of the user's own grants. */
export function lockedGrantOf(meta: Meta, id: string, userId: string) {
  return meta
    .selectFrom('api_grant')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .$call(lockRows(meta))
}

export function updateGrantRow(
  meta: Meta,
  id: string,
  changes: Partial<Pick<ApiGrantTable, 'daily_limit' | 'approval'>>,
) {
  return meta.updateTable('api_grant').set(changes).where('id', '=', id)
}

/** The names of the grants that still exist. */
export async function namesOfGrants({ primary }: Meta, ids: readonly string[]) {
  const rows = await primary.selectFrom('api_grant').select(['id', 'client_name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, client_name }) => [id, client_name]))
}

/** Returns the grants that belong to the user. */
export async function ownGrants(meta: Meta, userId: string, ids: readonly string[]) {
  if (ids.length === 0) return []
  return meta.primary
    .selectFrom('api_grant')
    .select(['id', 'kind', 'client_id', 'client_name'])
    .where('id', 'in', ids)
    .where('user_id', '=', userId)
    .execute()
}
