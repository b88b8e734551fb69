import { type Kysely, sql } from 'kysely'
import { prepared, preparedAll } from '../../../../database/prepared.ts'
import type { MetaTables } from '../../../../database/schema/tables.ts'
import { integer } from '../../../../database/sql/integer.ts'
import { lockRows } from '../../../../database/sql/row-lock.ts'
import type { Meta } from '../../../../database/store.ts'
import { currentRevision } from '../../../ground/settings/statements.ts'
import { userIds, usersToRestrict } from '../../../people/users/statements.ts'
import type { Client } from '../../clients/client.ts'
import { batchFor } from '../../clients/holding.ts'
import { notRevoked } from '../revoked-statements.ts'
import { RESTRICTED_BY } from './store.ts'

type Db = Kysely<MetaTables>

export interface ServiceToken {
  readonly clientId: string
  readonly scopes: string
  readonly resource: string | null
  readonly grantScopes: string
  readonly accessHash: string
  readonly now: number
  readonly accessExpiresAt: number
}

/** The user a service acts for; undefined while there is no administrator. */
export async function administratorBehind({ primary }: Meta) {
  const [person] = await primary.run(administrator(primary, {}))
  return person
}

const administrator = prepared({}, (db: Db) =>
  db
    .selectFrom(usersToRestrict(db).as('person'))
    .select(RESTRICTED_BY)
    .select(currentRevision(db).as('settings_revision'))
    .where('person.role', '=', sql.lit('administrator' as const)),
)

/** Issues the token under the service's active grant. Returns false if there is none. */
export async function insertServiceToken(meta: Meta, client: Client, token: ServiceToken): Promise<boolean> {
  const [use, insert] = furtherToken(meta, token)
  const rows = await batchFor(meta, client, use, insert)
  return rows.of(insert).length === 1
}

const EXAMPLE: ServiceToken = {
  clientId: '',
  scopes: '',
  resource: null,
  grantScopes: '',
  accessHash: '',
  now: 0,
  accessExpiresAt: 0,
}

/** The update locks the active grant, so that a revocation comes before or after. */
const furtherToken = preparedAll(
  EXAMPLE,
  (db: Db, token) => [keepInUse(db, token), insertAccessToken(db, token)] as const,
)

/**
 * Locks the active grants. If a revocation came first, `insertAccessToken` finds nothing. With the ids from a
 * subquery, SQLite reads every grant if `ANALYZE` has seen the table when it was small.
 */
export function keepInUse(db: Db, token: ServiceToken) {
  return db
    .updateTable('api_grant')
    .set({ scopes: token.grantScopes, last_used_at: token.now })
    .where('client_id', '=', token.clientId)
    .where(notRevoked)
    .where('expires_at', '>=', token.accessExpiresAt)
}

/** `keepInUse` must have locked the active grants. */
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

function activeGrants(meta: Db, { clientId, accessExpiresAt }: Pick<ServiceToken, 'clientId' | 'accessExpiresAt'>) {
  return meta
    .selectFrom('api_grant')
    .select('api_grant.id')
    .where('client_id', '=', clientId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>=', accessExpiresAt)
}

/**
 * Locks the administrator, after the application, so that the second of two simultaneous first requests finds the
 * first one's grant.
 */
export function lockedFirstGrant(meta: Meta, token: Pick<ServiceToken, 'clientId' | 'accessExpiresAt'>) {
  const administrator = userIds(meta).where('user.role', '=', sql.lit('administrator')).$call(lockRows(meta))
  return [administrator, activeGrants(meta, token).$call(lockRows(meta))] as const
}
