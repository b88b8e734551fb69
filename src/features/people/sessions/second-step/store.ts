import type { Kysely } from 'kysely'
import type { PendingSignInTable, TrustedDeviceTable } from '../../../../database/schema/people/sessions.ts'
import type { MetaTables } from '../../../../database/schema/tables.ts'
import { among } from '../../../../database/sql/conditions.ts'
import { sweepRows } from '../../../../database/sql/sweep-rows.ts'
import type { Meta } from '../../../../database/store.ts'

/** Whether the user trusts this browser. For a decision that has locked the user, as what ends the trust does. */
export function trustedDevice(meta: Meta, userId: string, trustHashes: readonly string[], now: number) {
  return meta
    .selectFrom('trusted_device')
    .select('id')
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .where(among('token_hash', trustHashes))
}

export function insertPendingSignIn(meta: Meta, row: PendingSignInTable) {
  return meta.insertInto('pending_sign_in').values(row)
}

export function pendingByToken(meta: Meta, tokenHash: string, now: number) {
  return activePending(meta.primary, tokenHash, now).selectAll().executeTakeFirst()
}

/** For a decision that has locked the user, as everything does that ends a sign-in, but the user who starts over. */
export function activePending(db: Kysely<MetaTables>, tokenHash: string, now: number) {
  return db.selectFrom('pending_sign_in').where('token_hash', '=', tokenHash).where('expires_at', '>', now)
}

export function deletePending(meta: Meta, tokenHash: string) {
  return meta.deleteFrom('pending_sign_in').where('token_hash', '=', tokenHash)
}

export const MOST_TRUSTED_DEVICES = 20

/** Those that were used least are trusted no longer. The decision has locked the user's row. */
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

/** For a decision that has locked the user: the user still trusts it. */
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
