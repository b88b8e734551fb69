import type { Expression, Kysely, SqlBool } from 'kysely'
import { statement } from '../../../database/prepared.ts'
import type {
  KnownNetworkTable,
  PendingSignInTable,
  SessionTable,
  TrustedDeviceTable,
} from '../../../database/schema/people/sessions.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { among, amongJson } from '../../../database/sql/conditions.ts'
import { skipLockedRows } from '../../../database/sql/row-lock.ts'
import { sweepRows } from '../../../database/sql/sweep-rows.ts'
import type { Meta } from '../../../database/store.ts'
import { organizationToBeginIn } from '../memberships/statements.ts'

/** It begins in an organisation of its user. */
export const insertSession = statement(
  (meta: Meta, row: Omit<SessionTable, 'active_organization_id' | 'active_team_id'>) =>
    meta
      .insertInto('session')
      .values({ ...row, active_organization_id: organizationToBeginIn(meta, row.user_id), active_team_id: null }),
)

/** More networks than any user alternates between; the most recent ones are kept. */
export const MOST_KNOWN_NETWORKS = 20

/** The user must be locked. */
export const knowNetwork = statement((meta: Meta, row: KnownNetworkTable) =>
  meta
    .insertInto('known_network')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'network']).doUpdateSet({ signed_in_at: row.signed_in_at })),
)

/** Follows `knowNetwork`, unless the user is new. */
export const forgetOldestNetworks = statement((meta: Meta, userId: string) => {
  const kept = meta
    .selectFrom('known_network')
    .select('network')
    .where('user_id', '=', userId)
    .orderBy('signed_in_at', 'desc')
    .orderBy('network')
    .limit(MOST_KNOWN_NETWORKS)
  return meta.deleteFrom('known_network').where('user_id', '=', userId).where('network', 'not in', kept)
})

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

/** Follows `sessionsEnded`, which writes their events. */
export function deleteSessions(meta: Meta, which: Expression<SqlBool>) {
  return meta.deleteFrom('session').where(which)
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
 * All sessions but the `kept` most recently used. The user must be locked, so that no other session is opened
 * meanwhile.
 */
export const crowdedOut = statement((meta: Meta, userId: string, replacedHash: string, kept: number) =>
  meta
    .selectFrom('session')
    .select('id')
    .where('user_id', '=', userId)
    .where('token_hash', '<>', replacedHash)
    .where('acted_by', 'is', null)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .limit(ENDED_AT_ONCE)
    .offset(kept),
)

const ENDED_AT_ONCE = 1_000

/** Those with one of these hashes, a JSON array, which have not expired. */
export const sessionsWith = statement((meta: Meta, hashes: string, now: number) =>
  meta
    .selectFrom('session')
    .select(['id', 'user_id', 'token_hash'])
    .where(amongJson(meta, 'token_hash', hashes))
    .where('expires_at', '>', now),
)

/** The latest of the user's own, and those in which the administrator acts: at most one for each of their sessions. */
export function activeSessions(meta: Meta, userId: string, now: number, atMost: number) {
  const sessions = meta.primary
    .selectFrom('session')
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
  const own = sessions.where('acted_by', 'is', null).select('id').limit(atMost)
  return sessions
    .selectAll()
    .where((eb) => eb.or([eb('id', 'in', own), eb('acted_by', 'is not', null)]))
    .execute()
}

/** Selects at most this many expired rows for a sweep. */
export function expiredSessions(meta: Meta, now: number, atMost: number) {
  return meta.selectFrom('session').select('id').where('expires_at', '<=', now).limit(atMost).execute()
}

/**
 * Returns a row if the user trusts this browser. The user must be locked; everything that ends the trust locks the
 * user first.
 */
export function trustedDevice(meta: Meta, userId: string, trustHashes: readonly string[], now: number) {
  return meta
    .selectFrom('trusted_device')
    .select('id')
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .where(among('token_hash', trustHashes))
}

export const insertPendingSignIn = statement((meta: Meta, row: PendingSignInTable) =>
  meta.insertInto('pending_sign_in').values(row),
)

export const deletePending = statement((meta: Meta, tokenHash: string) =>
  meta.deleteFrom('pending_sign_in').where('token_hash', '=', tokenHash),
)

export const MOST_TRUSTED_DEVICES = 20

/** Also deletes the least recently used devices beyond the limit. The user must be locked. */
export function insertTrustedDevice(meta: Meta, row: TrustedDeviceTable) {
  const kept = meta
    .selectFrom('trusted_device')
    .select('id')
    .where('user_id', '=', row.user_id)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_TRUSTED_DEVICES)
  return [
    meta.insertInto('trusted_device').values(row),
    meta.deleteFrom('trusted_device').where('user_id', '=', row.user_id).where('id', 'not in', kept),
  ] as const
}

export function touchTrustedDevices(meta: Meta, userId: string, trustHashes: readonly string[], now: number) {
  return meta
    .updateTable('trusted_device')
    .set({ last_used_at: now })
    .where('user_id', '=', userId)
    .where(among('token_hash', trustHashes))
}

export function trustedDevices(meta: Meta, userId: string, now: number) {
  return meta.primary
    .selectFrom('trusted_device')
    .select(['id', 'token_hash', 'created_at', 'expires_at', 'last_used_at', 'ip', 'user_agent', 'place'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Returns a row if the user still trusts the device. The user must be locked. */
export function trustedDeviceOf(meta: Meta, userId: string, id: string) {
  return meta.selectFrom('trusted_device').select('id').where('id', '=', id).where('user_id', '=', userId)
}

export function deleteTrustedDevice(meta: Meta, id: string) {
  return meta.deleteFrom('trusted_device').where('id', '=', id)
}

export async function deleteExpired(meta: Meta, now: number): Promise<void> {
  await sweepRows(meta, 'pending_sign_in', 'token_hash', (row) => row('expires_at', '<=', now))
  await sweepRows(meta, 'trusted_device', 'id', (row) => row('expires_at', '<=', now))
}
