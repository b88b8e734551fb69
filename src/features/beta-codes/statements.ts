import type { Meta } from '../../database/store.ts'

/** A used code stays used: for the batch that deletes its user, whose rows would take it along. */
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
