import { type Expression, type SqlBool, sql } from 'kysely'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import { insertEventOfEach } from '../../ground/events/statements.ts'

/** Follows the statement that begins the session, and writes no event if that began none. */
export function sessionCreated(meta: Meta, id: string, now: number) {
  const facts = meta
    .selectFrom('session')
    .select(['session.user_id', sql<string>`'{"id":"' || session.id || '"}'`.as('data')])
    .where('session.id', '=', id)
  return insertEventOfEach(meta, 'session.created', facts, now)
}

/** Precedes the statement that ends them. */
export function sessionsEnded(meta: Meta, which: Expression<SqlBool>, reason: string, now: number) {
  const data = sql<string>`'{"id":"' || session.id || ${sql.lit(`","reason":"${reason}"}`)}`
  const facts = meta
    .selectFrom('session')
    .select(['session.user_id', data.as('data')])
    .where(which)
    .orderBy('session.id')
    .$call(lockRows(meta))
  return insertEventOfEach(meta, 'session.ended', facts, now)
}
