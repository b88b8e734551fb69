import { type Compilable, type Kysely, sql } from 'kysely'
import { prepared, preparedBatch } from '../../../../database/prepared.ts'
import type { Flag } from '../../../../database/schema/flag.ts'
import type { AuthorizationRequestTable } from '../../../../database/schema/products/grants.ts'
import type { MetaTables } from '../../../../database/schema/tables.ts'
import { insertWhere } from '../../../../database/sql/insert-where.ts'
import { integer } from '../../../../database/sql/integer.ts'
import { lockRows } from '../../../../database/sql/row-lock.ts'
import type { Meta } from '../../../../database/store.ts'
import type { GrantKind } from '../../../../rules/caller.ts'
import { insertAuditedEventOfEach } from '../../../ground/events/statements.ts'
import { currentRevision } from '../../../ground/settings/statements.ts'
import { sessionIds } from '../../../people/sessions/statements.ts'
import { lockUsers, usersToRestrict } from '../../../people/users/statements.ts'
import type { Client } from '../../clients/client.ts'
import { batchFor } from '../../clients/holding.ts'
import { applicationsWithLogout } from '../../clients/statements.ts'
import { grantMadeByUser, notRevoked } from '../events.ts'
import { grantWithUser, insertTokens, type NewTokens, TOKENS } from './store.ts'

type Db = Kysely<MetaTables>

interface CodePresented {
  readonly clientId: string
  readonly codeHash: string
  readonly redirectUri: string
  readonly codeChallenge: string
}

/** However often a code is presented, only one request changes its state and gets a grant. */
export async function redeemAuthorizationCode(meta: Meta, client: Client, presented: CodePresented, grant: NewGrant) {
  const { before, result } = statementsFor(client.kind, presented)(meta, { ...presented, ...grant })
  const rows = await batchFor(meta, client, [...before, result])
  return rows.of(result)[0]
}

/** A grant that a user gives, with its first tokens and the data of its event. */
export interface NewGrant extends NewTokens {
  readonly eventId: string
  readonly ip: string | null
  /** JSON. */
  readonly clientName: string
}

const NEW_GRANT: NewGrant = { ...TOKENS, eventId: '', ip: null, clientName: '' }

/** An application's sign-ins are too many to look each time; the random code decides when. */
function statementsFor(kind: Client['kind'], { codeHash }: CodePresented) {
  if (kind === 'tool') return toolBatch
  return /^[A-D]/.test(codeHash) ? crowdedBatch : codeBatch
}

const PRESENTED = { clientId: '', codeHash: '', redirectUri: '', codeChallenge: '', ...NEW_GRANT }

const codeBatch = preparedBatch(PRESENTED, (db: Db, to) => redeemed(db, to, []))
const crowdedBatch = preparedBatch(PRESENTED, (db: Db, to) => redeemed(db, to, endCrowded(db, to, 'application')))
const toolBatch = preparedBatch(PRESENTED, (db: Db, to) => redeemed(db, to, afterTool(db, to)))

function redeemed(db: Db, to: CodePresented & NewGrant, after: readonly Compilable<unknown>[]) {
  const request = db.selectFrom('authorization_request').where('code_hash', '=', to.codeHash)
  return {
    // `batchFor` has locked the application; then come the user, the session and, in `redeem`, the request.
    before: [
      lockUsers(db).where('id', 'in', request.select('user_id')),
      lockSessions(db).where('session.id', 'in', request.select('session_id')),
      redeem(db, to)
        .where('code_hash', '=', to.codeHash)
        .where('client_id', '=', to.clientId)
        .where('redirect_uri', '=', to.redirectUri)
        .where(sql<string>`coalesce(code_challenge, '')`, '=', to.codeChallenge),
      ...insertGrant(db, to),
      ...after,
    ],
    result: grantWithUser(db, to.grantId),
  }
}

function afterTool(db: Db, grant: NewGrant) {
  return [...endCrowded(db, grant, 'tool'), forgetEndedTools(db, grant)] as const
}

/** The approver of this code's request, which has not been redeemed yet. */
export async function approverBehind({ primary }: Meta, approved: Approved) {
  const [person] = await primary.run(approver(primary, approved))
  return person
}

interface Approved {
  readonly clientId: string
  /** Works for either kind of code: no two codes are equal. */
  readonly hash: string
}

const approver = prepared({ clientId: '', hash: '' }, (db: Db, { clientId, hash }: Approved) =>
  db
    .selectFrom('authorization_request')
    .innerJoin(usersToRestrict(db).as('person'), 'person.id', 'authorization_request.user_id')
    .select([
      'person.role',
      'person.factors',
      'person.email',
      'person.email_verified',
      currentRevision(db).as('settings_revision'),
    ])
    .where('authorization_request.client_id', '=', clientId)
    .where('authorization_request.state', '=', 'approved')
    .where(({ or, eb }) => or([eb('code_hash', '=', hash), eb('device_code_hash', '=', hash)])),
)

/** Looks for the grant of an earlier redemption of this code; undefined if that grant has ended. */
export function grantOfUsedCode({ primary }: Meta, { clientId, hash }: Approved) {
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
 * For a decision about a device's poll, after its application: locks the user, the session and the request, in this
 * order. Returns no user before somebody has begun the request.
 */
export function lockedDeviceRequest(meta: Meta, hash: string, clientId: string) {
  const request = meta.selectFrom('authorization_request').where('device_code_hash', '=', hash)
  return [
    lockUsers(meta).where('id', 'in', request.select('user_id')),
    lockSessions(meta).where('session.id', 'in', request.select('session_id')),
    request
      .select(['id', 'kind', 'state', 'expires_at', 'session_id', 'last_polled_at', 'interval_seconds'])
      .where('client_id', '=', clientId)
      .$call(lockRows(meta)),
  ] as const
}

export type Polled = Pick<AuthorizationRequestTable, 'last_polled_at' | 'interval_seconds'>

export function notePoll(meta: Meta, id: string, polled: Polled) {
  return meta.updateTable('authorization_request').set(polled).where('id', '=', id)
}

export function redeemRequest(meta: Meta, id: string, grant: NewGrant, kind: 'tool' | 'application') {
  return [
    meta.updateTable('authorization_request').set({ state: 'redeemed', grant_id: grant.grantId }).where('id', '=', id),
    ...insertGrant(meta, grant),
    ...(kind === 'tool' ? afterTool(meta, grant) : endCrowded(meta, grant, kind)),
  ] as const
}

function lockSessions(db: Db) {
  return sessionIds(db).$call(lockRows(db))
}

/**
 * The user's row is locked, so if the user's access ends, that happens before and has changed the state, or after. The
 * same holds for the session, with which an application's request ends.
 */
function redeem(meta: Db, { grantId, now }: NewGrant) {
  return meta
    .updateTable('authorization_request')
    .set({ state: 'redeemed', grant_id: grantId })
    .where('state', '=', 'approved')
    .where('expires_at', '>', now)
    .where(({ or, eb, exists }) =>
      or([
        eb('kind', '<>', 'application'),
        exists(sessionIds(meta).whereRef('session.id', '=', sql.ref('authorization_request.session_id'))),
      ]),
    )
}

/** Reads the request that this batch has just redeemed, and so has locked. */
function insertGrant(meta: Db, tokens: NewGrant) {
  const request = meta.selectFrom('authorization_request').select('id').where('grant_id', '=', tokens.grantId)
  const row = {
    id: sql.ref<string>('grant_id'),
    user_id: sql.ref<string>('user_id'),
    client_id: sql.ref<string>('client_id'),
    client_name: sql.ref<string>('client_name'),
    target_origin: sql.ref<string>('target_origin'),
    kind: sql.ref<GrantKind>('kind'),
    resource: sql.ref<string | null>('resource'),
    scopes: sql.ref<string>('scopes'),
    is_offline: sql.ref<Flag>('is_offline'),
    auth_time: sql.ref<number | null>('auth_time'),
    session_id: sql.ref<string | null>('session_id'),
    created_at: integer(tokens.now),
    expires_at: sql<number>`case when is_offline = 1 then ${integer(tokens.refreshExpiresAt)}
      else ${integer(tokens.accessExpiresAt)} end`,
  }
  return [
    insertWhere(meta, 'api_grant', row, request),
    noteSignIn(meta, tokens.grantId, tokens.now),
    grantMadeByUser(meta, tokens),
    ...insertTokens(meta, tokens),
  ] as const
}

/**
 * Follows the statement that makes and locks the grant. Only for an application that wants to be told, once for each
 * session. If the application's address is withdrawn meanwhile, nothing reads the row.
 */
function noteSignIn(db: Db, grantId: string, now: number) {
  const row = {
    application_id: sql.ref<string>('api_grant.client_id'),
    session_id: sql<string>`api_grant.session_id`,
    user_id: sql.ref<string>('api_grant.user_id'),
    created_at: integer(now),
  }
  const grant = db
    .selectFrom('api_grant')
    .where('api_grant.id', '=', grantId)
    .where('api_grant.session_id', 'is not', null)
    .where('api_grant.client_id', 'in', applicationsWithLogout(db))
  return insertWhere(db, 'application_sign_in', row, grant).onConflict((conflict) =>
    conflict.columns(['application_id', 'session_id']).doNothing(),
  )
}

type Crowding = Extract<GrantKind, 'tool' | 'application'>

/** The most living grants for a user. For an application, only those that outlive their session count. */
export const MOST_LIVING: Readonly<Record<Crowding, number>> = { tool: 200, application: 250 }
/** Ended connections that are still listed. */
const MOST_ENDED = 300
/** An earlier version can have left more; they go with the next connections, so that none of these takes long. */
const ENDED_AT_ONCE = 500
const FORGOTTEN_AT_ONCE = 2

interface Made {
  readonly grantId: string
  readonly now: number
  readonly ip: string | null
}

/**
 * Follows the statement that makes a grant, in a batch that has locked its user: ends the least recently used grants of
 * the same kind, with their audit entries and events.
 */
function endCrowded(db: Db, made: Made, kind: Crowding) {
  const { grantId, now, ip } = made
  const data = sql<string>`'{"id":"' || api_grant.id || '","client_id":"' || api_grant.client_id || '"}'`
  const facts = db
    .selectFrom('api_grant')
    .select(['api_grant.user_id', 'api_grant.id as subject_id', data.as('data')])
    .select(sql<string>`'{"reason":"too many connections"}'`.as('details'))
    .where('api_grant.id', 'in', crowded(db, made, kind))
    .orderBy('api_grant.id')
    .$call(lockRows(db))
  const ended = { type: 'grant.revoked', action: 'grant.revoked', subjectType: 'grant' } as const
  return [
    insertAuditedEventOfEach(db, { ...ended, ip, now, idOfFirst: grantId }, facts),
    db
      .updateTable('api_grant')
      .set({ revoked_at: now })
      .where('id', 'in', crowded(db, made, kind)),
  ] as const
}

/** The batch has locked the user, so none is made meanwhile; a refresh can only make one seem older. */
function crowded(db: Db, made: Made, kind: Crowding) {
  return ofSameUser(db, made)
    .where('api_grant.kind', '=', sql.lit(kind))
    .where('api_grant.is_offline', '=', sql.lit(1))
    .where(notRevoked)
    .where('api_grant.expires_at', '>', made.now)
    .where('api_grant.id', '<>', made.grantId)
    .orderBy(sql`coalesce(api_grant.last_used_at, api_grant.created_at)`, 'desc')
    .orderBy('api_grant.id', 'desc')
    .offset(MOST_LIVING[kind] - 1)
    .limit(ENDED_AT_ONCE)
}

/** The oldest ended ones: a program that connects again and again leaves one each time. */
function forgetEndedTools(db: Db, made: Made) {
  const ended = ofSameUser(db, made)
    .where('api_grant.kind', '=', sql.lit('tool' as const))
    .where(({ or, eb }) => or([eb('api_grant.revoked_at', 'is not', null), eb('api_grant.expires_at', '<=', made.now)]))
    .orderBy('api_grant.created_at', 'desc')
    .orderBy('api_grant.id', 'desc')
    .offset(MOST_ENDED)
    .limit(FORGOTTEN_AT_ONCE)
  return db.deleteFrom('api_grant').where('id', 'in', ended)
}

function ofSameUser(db: Db, { grantId }: Made) {
  const user = db.selectFrom('api_grant as made').select('made.user_id').where('made.id', '=', grantId)
  return db.selectFrom('api_grant').select('api_grant.id').where('api_grant.user_id', '=', user)
}
