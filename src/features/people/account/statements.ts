import type { Expression } from 'kysely'
import type { Meta } from '../../../database/store.ts'
import { userByEmail } from '../users/statements.ts'

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

export async function findPasswordHash(meta: Meta, userId: string): Promise<string | undefined> {
  const row = await passwordOf(meta, userId).executeTakeFirst()
  return row?.password_hash ?? undefined
}

/** No row for an address whose user has no account for a password. For a decision that has locked the user. */
export function passwordByEmail(meta: Meta, email: string) {
  return userByEmail(meta.primary, email)
    .innerJoin('account', 'account.user_id', 'user.id')
    .select(['user.id', 'account.password_hash'])
    .where('account.provider', '=', 'credential')
}

/** No row if the user has none. */
export function passwordOf(meta: Meta, userId: string) {
  return accountOf(meta, userId).select('password_hash').where('password_hash', 'is not', null)
}

/** Includes the time at which the password was set. */
export function credentialOf(meta: Meta, userId: string | Expression<string>) {
  return accountOf(meta, userId).select(['password_hash', 'password_is_initial', 'updated_at'])
}

/** For a decision that has locked the user: the password is still this one. */
export function accountWithPassword(meta: Meta, userId: string, hash: string) {
  return accountOf(meta, userId).select('id').where('password_hash', '=', hash)
}

function accountOf(meta: Meta, userId: string | Expression<string>) {
  return meta.primary.selectFrom('account').where('user_id', '=', userId).where('provider', '=', 'credential')
}
