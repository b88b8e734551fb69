import { type Compilable, type Kysely, type SqlBool, sql } from 'kysely'
import { prepared, preparedAll } from '../../../../database/prepared.ts'
import type { ApiGrantTable, AuthorizationRequestTable } from '../../../../database/schema/products/grants.ts'
import type { MetaTables } from '../../../../database/schema/tables.ts'
import { lockRows } from '../../../../database/sql/row-lock.ts'
import type { Meta } from '../../../../database/store.ts'
import type { GrantKind } from '../../../../rules/caller.ts'
import { currentRevision } from '../../../ground/settings/statements.ts'
import { sessionIds } from '../../../people/sessions/statements.ts'
import { usersToRestrict } from '../../../people/users/statements.ts'
import { notRevoked } from '../revoked-statements.ts'
import { identified, RESTRICTED_BY } from './store.ts'

type Db = Kysely<MetaTables>

export interface SentCode {
  readonly column: 'code_hash' | 'device_code_hash'
  readonly hash: string
  readonly clientId: string
}

const SENT = { hash: '', clientId: '' }

/** The approver of this code's request, which has not been redeemed yet. */
export async function approverBehind({ primary }: Meta, sent: SentCode) {
  const [person] = await primary.run(approver[sent.column](primary, sent))
  return person
}

const approver = { code_hash: approverBy('code_hash'), device_code_hash: approverBy('device_code_hash') }

/** Each column has its own statement: for one about both, PostgreSQL would read every request of the client. */
function approverBy(column: SentCode['column']) {
  return prepared(SENT, (db: Db, { clientId, hash }) =>
    db
      .selectFrom('authorization_request')
      .innerJoin(usersToRestrict(db).as('person'), 'person.id', 'authorization_request.user_id')
      .select(RESTRICTED_BY)
      .select(currentRevision(db).as('settings_revision'))
      .where(column, '=', hash)
      .where('authorization_request.client_id', '=', clientId)
      .where('authorization_request.state', '=', 'approved'),
  )
}

/** Looks for the grant of an earlier redemption of this code; undefined if that grant has ended. */
export function grantOfUsedCode({ primary }: Meta, { clientId, hash }: SentCode) {
  return primary
    .selectFrom('authorization_request')
    .innerJoin('api_grant', 'api_grant.id', 'authorization_request.grant_id')
    .select(['api_grant.id', 'api_grant.user_id', 'api_grant.kind', 'api_grant.client_name'])
    .where('authorization_request.code_hash', '=', hash)
    .where('authorization_request.client_id', '=', clientId)
    .where('authorization_request.state', '=', 'redeemed')
    .where('api_grant.revoked_at', 'is', null)
    .executeTakeFirst()
}

/**
 * Locks the user, the session and the request, in this order and after the application. So whatever ends the user's
 * access or the session happens before, and has changed the request, or after. Returns no user before somebody has
 * begun the request.
 */
export function lockedRequest(meta: Meta, sent: SentCode) {
  return locked[sent.column](meta, sent)
}

const locked = { code_hash: lockedBy('code_hash'), device_code_hash: lockedBy('device_code_hash') }

function lockedBy(column: SentCode['column']) {
  return preparedAll(SENT, (db: Db, { clientId, hash }) => {
    const request = db.selectFrom('authorization_request').where(column, '=', hash)
    return [
      identified(db).where('user.id', 'in', request.select('user_id')).$call(lockRows(db)),
      sessionIds(db)
        .select('session.acted_by')
        .where('session.id', 'in', request.select('session_id'))
        .$call(lockRows(db)),
      request
        .select(['id', 'kind', 'state', 'expires_at', 'session_id', 'client_id', 'client_name', 'target_origin'])
        .select(['resource', 'scopes', 'is_offline', 'auth_time', 'nonce', 'redirect_uri', 'code_challenge'])
        .select(['last_polled_at', 'interval_seconds', 'organization_id'])
        .where('client_id', '=', clientId)
        .$call(lockRows(db)),
    ] as const
  })
}

type Found<Query> = Query extends Compilable<infer Row> ? Row : never
export type LockedUser = Found<ReturnType<typeof lockedRequest>[0]>
export type LockedRequest = Found<ReturnType<typeof lockedRequest>[2]>
export type CountedGrants = Found<ReturnType<typeof countGrants>>

export type Polled = Pick<AuthorizationRequestTable, 'last_polled_at' | 'interval_seconds'>

export function notePoll(meta: Meta, id: string, polled: Polled) {
  return meta.updateTable('authorization_request').set(polled).where('id', '=', id)
}

export const redeemRequest = prepared({ id: '', grantId: '' }, (db: Db, { id, grantId }) =>
  db.updateTable('authorization_request').set({ state: 'redeemed', grant_id: grantId }).where('id', '=', id),
)

export type NewGrant = Omit<ApiGrantTable, 'daily_limit' | 'approval' | 'last_used_at' | 'revoked_at'>

const NEW_GRANT: NewGrant = {
  ...{ id: '', user_id: '', client_id: '', client_name: '', target_origin: '', kind: 'application', resource: null },
  ...{
    scopes: '',
    is_offline: 0,
    auth_time: null,
    session_id: null,
    organization_id: null,
    created_at: 0,
    expires_at: 0,
  },
}

export const insertGrant = prepared(NEW_GRANT, (db: Db, grant) =>
  db.insertInto('api_grant').values({ ...grant, approval: sql.lit('none' as const) }),
)

/** Each session has one row. If the application's address is withdrawn meanwhile, nothing reads it. */
export const noteSignIn = prepared(
  { application_id: '', session_id: '', user_id: '', created_at: 0 },
  (db: Db, signIn) =>
    db
      .insertInto('application_sign_in')
      .values(signIn)
      .onConflict((conflict) => conflict.columns(['application_id', 'session_id']).doNothing()),
)

export type Crowding = Extract<GrantKind, 'tool' | 'application'>

/** The most living grants for a user. For an application, only those that outlive their session count. */
export const MOST_LIVING: Readonly<Record<Crowding, number>> = { tool: 200, application: 250 }
/** Ended connections that are still listed. */
export const MOST_ENDED = 300
/** An earlier version can have left more; the next connections end them, so that none of these takes long. */
const ENDED_AT_ONCE = 500
const FORGOTTEN_AT_ONCE = 2

/** The user behind the code must be locked, so that no grant is made meanwhile. */
export function countGrants(meta: Meta, { column, hash }: SentCode, kind: Crowding, now: number) {
  return counted[column](meta, { hash, kind, now })
}

const counted = { code_hash: countedBy('code_hash'), device_code_hash: countedBy('device_code_hash') }

function countedBy(column: SentCode['column']) {
  return prepared({ hash: '', kind: 'tool' as Crowding, now: 0 }, (db: Db, { hash, kind, now }) =>
    db
      .selectFrom('api_grant')
      .select(({ fn }) => [
        fn.countAll<number>().as('all'),
        fn.countAll<number>().filterWhere(isLasting(now)).as('lasting'),
      ])
      .where('user_id', '=', db.selectFrom('authorization_request').select('user_id').where(column, '=', hash))
      .where('kind', '=', kind),
  )
}

interface Owned {
  readonly userId: string
  readonly kind: Crowding
  readonly now: number
}

/** Locks the least recently used grants beyond the limit, leaving room for a new one. */
export function crowdedGrants(db: Db, { userId, kind, now }: Owned) {
  const crowded = db
    .selectFrom('api_grant')
    .select('id')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where(isLasting(now))
    .orderBy(sql`coalesce(last_used_at, created_at)`, 'desc')
    .orderBy('id', 'desc')
    .offset(MOST_LIVING[kind] - 1)
    .limit(ENDED_AT_ONCE)
  return db
    .selectFrom('api_grant')
    .select(['api_grant.id', 'api_grant.client_id'])
    .where('id', 'in', crowded)
    .where(notRevoked)
    .orderBy('id')
    .$call(lockRows(db))
}

function isLasting(now: number) {
  return sql<SqlBool>`is_offline = 1 and ${notRevoked} and expires_at > ${now}`
}

/** Deletes the oldest ended ones: a program that connects repeatedly leaves one each time. The user must be locked. */
export function forgetEndedTools(db: Db, { userId, now }: Omit<Owned, 'kind'>) {
  const ended = db
    .selectFrom('api_grant')
    .select('id')
    .where('user_id', '=', userId)
    .where('kind', '=', 'tool')
    .where(({ or, eb }) => or([eb('revoked_at', 'is not', null), eb('expires_at', '<=', now)]))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(MOST_ENDED)
    .limit(FORGOTTEN_AT_ONCE)
  return db.deleteFrom('api_grant').where('id', 'in', ended)
}
