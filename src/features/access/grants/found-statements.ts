import { type Kysely, sql } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { type FoundKind, foundAs } from '../../../database/sql/found.ts'
import { notEnded, PERSONAL } from './statements.ts'

// For the administrator's search. They take no lock.

type Db = Kysely<MetaTables>

/** Also found by a token that has expired or was used: its grant can still be revoked. */
export function foundToken(db: Db, table: 'access_token' | 'refresh_token', hash: string, now: number) {
  return db
    .selectFrom(table)
    .innerJoin('api_grant', 'api_grant.id', `${table}.grant_id`)
    .select(['api_grant.id', 'client_name as title', 'user_id as owner_id', 'last_used_at'])
    .select([kindOf(table), table === 'access_token' ? 'access_token.scopes as scopes' : 'api_grant.scopes as scopes'])
    .where(`${table}.token_hash`, '=', hash)
    .where(notEnded(db, now))
}

export function foundGrant(db: Db, id: string) {
  return db
    .selectFrom('api_grant')
    .select(['id', 'client_name as title', 'user_id as owner_id', 'scopes', 'last_used_at', kindOf('connection')])
    .where('id', '=', id)
}

function kindOf<const Kind extends FoundKind>(kind: Kind) {
  return sql<
    Kind | 'personal_token'
  >`case api_grant.kind when ${sql.lit(PERSONAL)} then 'personal_token' else ${sql.lit(kind)} end`.as('kind')
}

const REQUEST_KINDS = {
  code_hash: 'authorization_code',
  device_code_hash: 'device_code',
  user_code: 'device_code',
  id: 'authorization_request',
} as const

/** A request whose access has not been handed out yet. */
export function foundRequest(db: Db, by: keyof typeof REQUEST_KINDS, value: string, now: number) {
  return db
    .selectFrom('authorization_request')
    .select(['id', 'client_name as title', 'user_id as owner_id', 'scopes'])
    .select(foundAs(REQUEST_KINDS[by], 'last_used_at'))
    .where(by, '=', value)
    .where('state', 'in', ['pending', 'approved'])
    .where('expires_at', '>', now)
}
