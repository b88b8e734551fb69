import type { BackupCodeTable } from '../../../database/schema/people/second-factor.ts'
import type { Meta } from '../../../database/store.ts'

type NewBackupCode = Omit<BackupCodeTable, 'is_active'>

export function insertBackupCodes(meta: Meta, codes: readonly NewBackupCode[], isActive: 0 | 1) {
  return meta.insertInto('backup_code').values(codes.map((code) => ({ ...code, is_active: isActive })))
}

export function deleteBackupCodes(meta: Meta, userId: string, isActive: 0 | 1) {
  return meta.deleteFrom('backup_code').where('user_id', '=', userId).where('is_active', '=', isActive)
}

/** For a decision that has locked the user: the codes shown with an app that waits for its first code. */
export function waitingBackupCodes(meta: Meta, userId: string) {
  return meta.selectFrom('backup_code').select('id').where('user_id', '=', userId).where('is_active', '=', 0)
}

export function activateBackupCodes(meta: Meta, userId: string) {
  return meta.updateTable('backup_code').set({ is_active: 1 }).where('user_id', '=', userId)
}

export function unusedBackupCode(meta: Meta, userId: string, hash: string) {
  return meta.primary
    .selectFrom('backup_code')
    .select('id')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .where('is_active', '=', 1)
    .where('last_use', '=', '')
    .executeTakeFirst()
}

/** Runs after `lockUser`: of two at the same time only one counts, since the row is checked again. */
export function spendBackupCode(meta: Meta, id: string, use: string) {
  return meta
    .updateTable('backup_code')
    .set({ last_use: use })
    .where('id', '=', id)
    .where('last_use', '=', '')
    .returning('id')
}

export async function countBackupCodes(meta: Meta, userId: string): Promise<number> {
  const { left } = await meta.primary
    .selectFrom('backup_code')
    .select((eb) => eb.fn.countAll<number>().as('left'))
    .where('user_id', '=', userId)
    .where('is_active', '=', 1)
    .where('last_use', '=', '')
    .executeTakeFirstOrThrow()
  return left
}
