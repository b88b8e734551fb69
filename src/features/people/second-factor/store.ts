import type { Expression } from 'kysely'
import { statement } from '../../../database/prepared.ts'
import type { BackupCodeTable, TotpFactorTable } from '../../../database/schema/people/second-factor.ts'
import type { Meta } from '../../../database/store.ts'

/** The confirmed app, or the one that waits for its first code. While the user is locked, it does not change. */
export function totpOf(meta: Meta, userId: string | Expression<string>, isConfirmed: 0 | 1) {
  return meta.primary
    .selectFrom('totp_factor')
    .selectAll()
    .where('user_id', '=', userId)
    .where('is_confirmed', '=', isConfirmed)
}

/** Joined to a user's id: what a code is compared with. */
export function confirmedTotp(meta: Meta) {
  return meta.selectFrom('totp_factor').select(['id', 'user_id', 'sealed', 'last_step']).where('is_confirmed', '=', 1)
}

export function oldestTotp(meta: Meta) {
  return meta.primary
    .selectFrom('totp_factor')
    .select('sealed')
    .where('is_confirmed', '=', 1)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

export function deleteTotp(meta: Meta, userId: string, isConfirmed: 0 | 1) {
  return meta.deleteFrom('totp_factor').where('user_id', '=', userId).where('is_confirmed', '=', isConfirmed)
}

export function insertTotp(meta: Meta, row: Pick<TotpFactorTable, 'id' | 'user_id' | 'sealed' | 'created_at'>) {
  return meta.insertInto('totp_factor').values({ ...row, is_confirmed: 0, last_step: 0, last_use: '' })
}

/** The factor takes effect with the first correct code. */
export function setTotpConfirmed(meta: Meta, id: string, step: number, now: number) {
  return meta
    .updateTable('totp_factor')
    .set({ is_confirmed: 1, last_step: step, last_used_at: now })
    .where('id', '=', id)
}

/**
 * Changes nothing if this step or a later one has been used. The user must be locked, so that one code is spent at a
 * time.
 */
export const spendTotp = statement((meta: Meta, id: string, step: number, now: number) =>
  meta
    .updateTable('totp_factor')
    .set({ last_step: step, last_used_at: now })
    .where('id', '=', id)
    .where('is_confirmed', '=', 1)
    .where('last_step', '<', step)
    .returning('id'),
)

type NewBackupCode = Omit<BackupCodeTable, 'is_active'>

export function insertBackupCodes(meta: Meta, codes: readonly NewBackupCode[], isActive: 0 | 1) {
  return meta.insertInto('backup_code').values(codes.map((code) => ({ ...code, is_active: isActive })))
}

export function deleteBackupCodes(meta: Meta, userId: string, isActive: 0 | 1) {
  return meta.deleteFrom('backup_code').where('user_id', '=', userId).where('is_active', '=', isActive)
}

/** The codes shown with an app that waits for its first code. The user must be locked. */
export function waitingBackupCodes(meta: Meta, userId: string) {
  return meta.selectFrom('backup_code').select('id').where('user_id', '=', userId).where('is_active', '=', 0)
}

export function activateBackupCodes(meta: Meta, userId: string) {
  return meta.updateTable('backup_code').set({ is_active: 1 }).where('user_id', '=', userId)
}

/** Takes no lock: a code is checked again when it is spent. */
export function unusedBackupCodes(meta: Meta, userId: string | Expression<string>) {
  return meta.primary
    .selectFrom('backup_code')
    .select(['id', 'code_hash'])
    .where('user_id', '=', userId)
    .where('is_active', '=', 1)
    .where('last_use', '=', '')
}

/** Of two simultaneous uses only one counts, since the row is checked again. The user must be locked. */
export function spendBackupCode(meta: Meta, id: string, use: string) {
  return meta
    .updateTable('backup_code')
    .set({ last_use: use })
    .where('id', '=', id)
    .where('last_use', '=', '')
    .returning('id')
}
