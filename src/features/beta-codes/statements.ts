import type { Meta } from '../../database/store.ts'

export function findBetaCodeOf(meta: Meta, userId: string) {
  return meta
    .selectFrom('beta_codes')
    .select(['code', 'used_at'])
    .where('used_by', '=', userId)
    .executeTakeFirst()
}
