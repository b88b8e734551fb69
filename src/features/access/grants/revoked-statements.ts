import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import { insertEventOfEach } from '../../ground/events/statements.ts'

type Db = Kysely<MetaTables>

/**
 * Avoids `revoked_at is null`: beside a condition that matches several rows, SQLite would choose the index of
 * `revoked_at` and walk through everybody's active grants.
 */
export const notRevoked = sql<SqlBool>`coalesce(api_grant.revoked_at, 0) = 0`

/** Precedes the statement that revokes them, and writes no event for grants that were revoked earlier. */
export function grantsRevoked(db: Db, which: Expression<SqlBool>, now: number) {
  const data = sql<string>`'{"id":"' || api_grant.id || '","client_id":"' || api_grant.client_id || '"}'`
  const facts = db
    .selectFrom('api_grant')
    .select(['api_grant.user_id', data.as('data')])
    .where(which)
    .where(notRevoked)
    .orderBy('api_grant.id')
    .$call(lockRows(db))
  return insertEventOfEach(db, 'grant.revoked', facts, now)
}
