import type { Meta } from '../../database/store.ts'

/** For the batch that deletes the user: keeps the used code, which would otherwise be deleted with the user. */
export function keepCodeUsedBy(meta: Meta, userId: string) {
  return meta.updateTable('beta_codes').set({ used_by: null }).where('used_by', '=', userId)
}

export function findBetaCodeOf(meta: Meta, userId: string) {
  return meta
    .selectFrom('beta_codes')
    .select(['code', 'used_at'])
    .where('used_by', '=', userId)
    .executeTakeFirst()
}
