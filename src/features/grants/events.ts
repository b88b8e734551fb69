import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { MetaTables } from '../../database/schema/tables.ts'
import { lockRows } from '../../database/sql/row-lock.ts'
import { insertEventOfEach } from '../events/statements.ts'

type Db = Kysely<MetaTables>

/** After the statement that makes it: nothing if it did not. Scopes and client ids need no escaping. */
export function grantCreated(db: Db, id: string, now: number) {
  const data = sql<string>`'{"id":"' || api_grant.id || '","client_id":"' || api_grant.client_id
    || '","scopes":"' || api_grant.scopes || '"}'`
  const facts = db
    .selectFrom('api_grant')
    .select(['api_grant.user_id', data.as('data')])
    .where('api_grant.id', '=', id)
  return insertEventOfEach(db, 'grant.created', facts, now)
}

/** Before the statement that revokes them: nothing of those that were revoked before. */
export function grantsRevoked(db: Db, which: Expression<SqlBool>, now: number) {
  const data = sql<string>`'{"id":"' || api_grant.id || '","client_id":"' || api_grant.client_id || '"}'`
  const facts = db
    .selectFrom('api_grant')
    .select(['api_grant.user_id', data.as('data')])
    .where(which)
    .where('api_grant.revoked_at', 'is', null)
    .orderBy('api_grant.id')
    .$call(lockRows(db))
  return insertEventOfEach(db, 'grant.revoked', facts, now)
}
