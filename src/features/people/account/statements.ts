import type { Meta } from '../../../database/store.ts'

export function accountsOf(meta: Meta, userId: string) {
  return meta
    .selectFrom('account')
    .select(['provider', 'issuer', 'provider_account_id', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function hasInitialPassword(meta: Meta, userId: string): Promise<boolean> {
  const row = await meta.primary
    .selectFrom('account')
    .select('id')
    .where('user_id', '=', userId)
    .where('password_is_initial', '=', 1)
    .executeTakeFirst()
  return row !== undefined
}

export async function hasProviderAccount(meta: Meta, userId: string): Promise<boolean> {
  const row = await meta.primary
    .selectFrom('account')
    .select('id')
    .where('user_id', '=', userId)
    .where('provider', '<>', 'credential')
    .executeTakeFirst()
  return row !== undefined
}
