import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { KnownNetworkTable, SessionTable } from '../../../database/schema/people/sessions.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { skipLockedRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'

export function insertSession(meta: Meta, row: SessionTable) {
  return meta.insertInto('session').values(row)
}

/** Nobody signs in from as many in turn; the ones used last are kept. */
const MOST_KNOWN_NETWORKS = 20

/** For the decision that opens a session, which has locked the user's row. */
export function knowNetwork(meta: Meta, row: KnownNetworkTable) {
  const kept = meta
    .selectFrom('known_network')
    .select('network')
    .where('user_id', '=', row.user_id)
    .orderBy('signed_in_at', 'desc')
    .orderBy('network')
    .limit(MOST_KNOWN_NETWORKS)
  return [
    meta
      .insertInto('known_network')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['user_id', 'network']).doUpdateSet({ signed_in_at: row.signed_in_at }),
      ),
    meta.deleteFrom('known_network').where('user_id', '=', row.user_id).where('network', 'not in', kept),
  ] as const
}

export function knownNetwork(db: Kysely<MetaTables>, userId: string, network: string) {
  return db.selectFrom('known_network').select('network').where('user_id', '=', userId).where('network', '=', network)
}

/** Locks the rows that it finds, and leaves those in use for the next time. */
export async function deleteOldNetworks(meta: Meta, before: number): Promise<void> {
  const old = meta.selectFrom('known_network').select(['user_id', 'network']).where('signed_in_at', '<=', before)
  await meta
    .deleteFrom('known_network')
    .where((eb) =>
      eb(eb.refTuple('user_id', 'network'), 'in', old.$call(skipLockedRows(meta)).$asTuple('user_id', 'network')),
    )
    .execute()
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
