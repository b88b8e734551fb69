import type { Meta } from '../../../database/store.ts'

export async function findPasswordHash(meta: Meta, userId: string): Promise<string | undefined> {
  const row = await passwordOf(meta, userId).executeTakeFirst()
  return row?.password_hash ?? undefined
}

/** No row if the user has none. */
export function passwordOf(meta: Meta, userId: string) {
  return accountOf(meta, userId).select('password_hash').where('password_hash', 'is not', null)
}

/** Includes the time at which the password was set. */
export function credentialOf(meta: Meta, userId: string) {
  return accountOf(meta, userId).select(['password_hash', 'updated_at'])
}

/** For a decision that has locked the user: the password is still this one. */
export function accountWithPassword(meta: Meta, userId: string, hash: string) {
  return accountOf(meta, userId).select('id').where('password_hash', '=', hash)
}

function accountOf(meta: Meta, userId: string) {
  return meta.primary.selectFrom('account').where('user_id', '=', userId).where('provider', '=', 'credential')
}
