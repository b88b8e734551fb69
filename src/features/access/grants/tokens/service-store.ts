import { type Kysely, sql } from 'kysely'
import { prepared, preparedBatch } from '../../../../database/prepared.ts'
import type { MetaTables } from '../../../../database/schema/tables.ts'
import { insertWhere } from '../../../../database/sql/insert-where.ts'
import { integer } from '../../../../database/sql/integer.ts'
import { lockRows } from '../../../../database/sql/row-lock.ts'
import type { Meta } from '../../../../database/store.ts'
import { currentRevision } from '../../../ground/settings/statements.ts'
import { userIds, usersToRestrict } from '../../../people/users/statements.ts'
import type { Client } from '../../clients/client.ts'
import { batchFor } from '../../clients/holding.ts'
import { grantCreated, notRevoked } from '../events.ts'

type Db = Kysely<MetaTables>

interface ServiceToken {
  readonly clientId: string
  readonly clientName: string
  readonly targetOrigin: string
  readonly newGrantId: string
  readonly eventId: string
  readonly scopes: string
  readonly resource: string | null
  readonly grantScopes: string
  readonly accessHash: string
  readonly now: number
  readonly accessExpiresAt: number
  readonly grantExpiresAt: number
}

/** The user a service acts for; undefined while there is no administrator. */
export async function administratorBehind({ primary }: Meta) {
  const [person] = await primary.run(administrator(primary, {}))
  return person
}

const administrator = prepared({}, (db: Db) =>
  db
    .selectFrom(usersToRestrict(db).as('person'))
    .select(['person.role', 'person.factors', 'person.email', 'person.email_verified'])
    .select(currentRevision(db).as('settings_revision'))
    .where('person.role', '=', sql.lit('administrator' as const)),
)

/** Uses the service's active grant, or makes one in the administrator's name. False if there is no administrator. */
export async function insertServiceToken(meta: Meta, client: Client, token: ServiceToken): Promise<boolean> {
  for (const batchOf of [furtherToken, firstToken]) {
    const { before, result } = batchOf(meta, token)
    const rows = await batchFor(meta, client, [...before, result])
    if (rows.of(result).length === 1) return true
  }
  return false
}

const EXAMPLE: ServiceToken = {
  clientId: '',
  clientName: '',
  targetOrigin: '',
  newGrantId: '',
  eventId: '',
  scopes: '',
  resource: null,
  grantScopes: '',
  accessHash: '',
  now: 0,
  accessExpiresAt: 0,
  grantExpiresAt: 0,
}

/** The update locks the active grant, so that a revocation comes before or after. */
const furtherToken = preparedBatch(EXAMPLE, (db: Db, token) => ({
  before: [useGrant(db, token)],
  result: insertAccessToken(db, token),
}))

/**
 * `batchFor` locks the service, so there is one batch of it at a time. A grant that is active when the batch begins is
 * not revoked before it ends.
 */
const firstToken = preparedBatch(EXAMPLE, (db: Db, token) => ({
  before: [
    activeGrants(db, token).$call(lockRows(db)),
    insertGrantUnlessActive(db, token),
    grantCreated(db, token.newGrantId, token.now, token.eventId),
    useGrant(db, token),
  ],
  result: insertAccessToken(db, token),
}))

/**
 * Locks the active grants. If a revocation came first, `insertAccessToken` finds nothing. With the ids from a
 * subquery, SQLite reads every grant if `ANALYZE` has seen the table when it was small.
 */
function useGrant(db: Db, token: ServiceToken) {
  return db
    .updateTable('api_grant')
    .set({ scopes: token.grantScopes, last_used_at: token.now })
    .where('client_id', '=', token.clientId)
    .where(notRevoked)
    .where('expires_at', '>=', token.accessExpiresAt)
}

/** The update before it has locked the active grants. */
function insertAccessToken(db: Db, token: ServiceToken) {
  return db
    .insertInto('access_token')
    .columns(['token_hash', 'grant_id', 'scopes', 'resource', 'created_at', 'expires_at'])
    .expression(
      db
        .selectFrom('api_grant')
        .select([
          sql.val(token.accessHash).as('token_hash'),
          'api_grant.id as grant_id',
          sql.val(token.scopes).as('scopes'),
          sql<string | null>`cast(${token.resource} as text)`.as('resource'),
          integer(token.now).as('created_at'),
          integer(token.accessExpiresAt).as('expires_at'),
        ])
        .where('id', 'in', activeGrants(db, token))
        .orderBy('api_grant.id')
        .limit(1),
    )
    .returning('token_hash')
}

function activeGrants(meta: Db, { clientId, accessExpiresAt }: ServiceToken) {
  return meta
    .selectFrom('api_grant')
    .select('api_grant.id')
    .where('client_id', '=', clientId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>=', accessExpiresAt)
}

/**
 * Behind that lock: of two first requests at once, the second finds the first one's grant. Active grants are
 * locked too.
 */
function insertGrantUnlessActive(meta: Db, token: ServiceToken) {
  const administrator = userIds(meta)
    .where('user.role', '=', 'administrator')
    .where(({ exists, not }) => not(exists(activeGrants(meta, token))))
  const row = {
    id: sql.val(token.newGrantId),
    user_id: sql.ref<string>('user.id'),
    client_id: sql.val(token.clientId),
    client_name: sql.val(token.clientName),
    target_origin: sql.val(token.targetOrigin),
    kind: sql.lit('service' as const),
    scopes: sql.val(token.grantScopes),
    is_offline: sql.lit(0 as const),
    created_at: integer(token.now),
    expires_at: integer(token.grantExpiresAt),
  }
  return insertWhere(meta, 'api_grant', row, administrator)
}
