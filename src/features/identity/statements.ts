import type { Meta } from '../../database/store.ts'

export function accountsOf(meta: Meta, userId: string) {
  return meta
    .selectFrom('account')
    .select(['provider', 'provider_account_id', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}
