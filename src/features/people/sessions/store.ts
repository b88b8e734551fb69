import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { SessionTable } from '../../../database/schema/people/sessions.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import type { Meta } from '../../../database/store.ts'

export function insertSession(meta: Meta, row: SessionTable) {
  return meta.insertInto('session').values(row)
}

export function sessionOf(db: Kysely<MetaTables>, userId: string, id: string) {
  return db.selectFrom('session').select('session.id').where('id', '=', id).where('user_id', '=', userId)
}

/** For the batch that changes what they were opened with. */
export function deleteSessions(meta: Meta, which: Expression<SqlBool>) {
  return meta.deleteFrom('session').where(which).returning('id')
}

export function ownedSession(userId: string, id: string) {
  return sql<SqlBool>`session.user_id = ${userId} and session.id = ${id}`
}

export async function extendSession(
  meta: Meta,
  id: string,
  times: { readonly refreshed_at: number; readonly expires_at: number },
): Promise<void> {
  await meta.updateTable('session').set(times).where('id', '=', id).execute()
}

export async function touchSession(meta: Meta, id: string, now: number): Promise<void> {
  await meta.updateTable('session').set({ last_used_at: now }).where('id', '=', id).execute()
}

/**
 * Those that a further session crowds out, so that the user has `atMost`. For a decision that has locked the user: nobody
 * opens another meanwhile.
 */
export function crowdedOut(meta: Meta, userId: string, replacedHash: string, atMost: number) {
  return meta
    .selectFrom('session')
    .select('id')
    .where('user_id', '=', userId)
    .where('token_hash', '<>', replacedHash)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .limit(ENDED_AT_ONCE)
    .offset(atMost - 1)
}

const ENDED_AT_ONCE = 1_000

export function activeSessions(meta: Meta, userId: string, now: number, atMost: number) {
  return meta.primary
    .selectFrom('session')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .limit(atMost)
    .execute()
}

/** For a sweep: at most this many expired rows. */
export function expiredSessions(meta: Meta, now: number, atMost: number) {
  return meta.selectFrom('session').select('id').where('expires_at', '<=', now).limit(atMost).execute()
}
