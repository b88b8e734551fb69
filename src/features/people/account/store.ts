import { type Kysely, type SqlBool, sql } from 'kysely'
import type { AccountTable } from '../../../database/schema/people/account.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import type { Meta } from '../../../database/store.ts'
import * as users from '../users/statements.ts'

export function insertAccount(meta: Meta, account: AccountTable) {
  return meta.insertInto('account').values(account)
}

export function credentialByEmail(meta: Meta, email: string) {
  return users
    .userByEmail(meta.primary, email)
    .innerJoin('account', 'account.user_id', 'user.id')
    .selectAll('user')
    .select(['account.password_hash', 'account.password_is_initial'])
    .where('account.provider', '=', 'credential')
    .executeTakeFirst()
}

/**
 * True for an account that lets its user in. A user who was invited, was imported or signed up with a passkey can have
 * an account without a password.
 */
export const CAN_SIGN_IN = sql<SqlBool>`(provider <> 'credential' or password_hash is not null)`

/**
 * The user with this address, if nobody can sign in yet, and there is no factor that an invitation would bypass. For a
 * decision that has locked the user.
 */
export function unclaimedUser(meta: Kysely<MetaTables>, email: string) {
  const wayIn = meta
    .selectFrom('account')
    .select('account.id')
    .where('account.user_id', '=', sql.ref<string>('user.id'))
    .where(CAN_SIGN_IN)
  return users
    .userByEmail(meta, email)
    .select('user.id')
    .where('user.factors', '=', '')
    .where(({ not, exists }) => not(exists(wayIn)))
}
