import { type Expression, type Kysely, sql } from 'kysely'
import type { PendingSignInTable, TrustedDeviceTable } from '../../../database/schema/people/sessions.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { among } from '../../../database/sql/conditions.ts'
import { insertWhere } from '../../../database/sql/insert-where.ts'
import { skipLockedRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import {
  signInStateOf,
  suspendedOnly,
  unsuspended,
  userById,
  userOnly,
  withoutFactors,
} from '../../users/statements.ts'

/** Undefined if the user is gone. */
export function signInState({ primary }: Meta, userId: string, trustHashes: readonly string[], now: number) {
  const trusted = trustedDevice(primary, userId, trustHashes, now)
  return signInStateOf(primary, userId)
    .select(({ exists, case: when }) =>
      when().when(exists(trusted)).then(sql.lit(1)).else(sql.lit(0)).end().as('is_trusted'),
    )
    .executeTakeFirst()
}

/** Whether a sign-in with a right credential failed because the user was suspended meanwhile. */
export async function wasSuspended({ primary }: Meta, userId: string, isRight: Expression<unknown>) {
  const row = await suspendedOnly(primary, userId)
    .where(({ exists }) => exists(isRight))
    .executeTakeFirst()
  return row !== undefined
}

/** A condition: the user trusts this browser. */
function trustedDevice(db: Kysely<MetaTables>, userId: string, trustHashes: readonly string[], now: number) {
  return db
    .selectFrom('trusted_device')
    .select('trusted_device.id')
    .where('trusted_device.user_id', '=', userId)
    .where('trusted_device.expires_at', '>', now)
    .where(among('trusted_device.token_hash', trustHashes))
}

/** A condition, after `lockUser`: the user has no second factor, or trusts this browser. */
export function needsNoSecondStep(meta: Meta, userId: string, trustHashes: readonly string[], now: number) {
  const trusted = trustedDevice(meta, userId, trustHashes, now)
  return userOnly(meta, userId).where(({ or, exists }) =>
    or([exists(withoutFactors(meta, userId)), exists(trusted)]),
  )
}

/**
 * Only if the user can sign in and the credential of the first step is still valid. Both are read after
 * `lockUser`, and change only under the same lock.
 */
export function insertPendingSignIn(meta: Meta, row: PendingSignInTable, onlyIf: Expression<unknown>) {
  const users = unsuspended(meta, row.user_id).where(({ exists }) => exists(onlyIf))
  return insertWhere(meta, 'pending_sign_in', row, users).returning('user_id')
}

export function pendingByToken(meta: Meta, tokenHash: string, now: number) {
  return activePending(meta.primary, tokenHash, now).selectAll().executeTakeFirst()
}

/** A condition: nothing has ended this sign-in in the meantime. */
export function activePending(db: Kysely<MetaTables>, tokenHash: string, now: number) {
  return db
    .selectFrom('pending_sign_in')
    .where('pending_sign_in.token_hash', '=', tokenHash)
    .where('pending_sign_in.expires_at', '>', now)
}

export function deletePending(meta: Meta, tokenHash: string) {
  return meta.deleteFrom('pending_sign_in').where('token_hash', '=', tokenHash)
}

/** After `lockUser`: the condition is that this batch has opened the session. */
export function insertTrustedDevice(meta: Meta, row: TrustedDeviceTable, onlyIf: Expression<unknown>) {
  const users = userById(meta, row.user_id).where(({ exists }) => exists(onlyIf))
  return insertWhere(meta, 'trusted_device', row, users)
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

/** A condition: the user still trusts it. */
export function trustedDeviceOf(meta: Meta, userId: string, id: string) {
  return meta.selectFrom('trusted_device').select('id').where('id', '=', id).where('user_id', '=', userId)
}

export function deleteTrustedDevice(meta: Meta, userId: string, id: string) {
  return meta.deleteFrom('trusted_device').where('id', '=', id).where('user_id', '=', userId).returning('id')
}

/** Locks the rows that it finds, and leaves those in use for the next time. Expiry times are never extended. */
export async function deleteExpired(meta: Meta, now: number): Promise<void> {
  const pending = meta.selectFrom('pending_sign_in').select('token_hash').where('expires_at', '<=', now)
  const devices = meta.selectFrom('trusted_device').select('id').where('expires_at', '<=', now)
  await meta
    .deleteFrom('pending_sign_in')
    .where('token_hash', 'in', pending.$call(skipLockedRows(meta)))
    .execute()
  await meta
    .deleteFrom('trusted_device')
    .where('id', 'in', devices.$call(skipLockedRows(meta)))
    .execute()
}
