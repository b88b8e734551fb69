import { type Kysely, type SqlBool, sql } from 'kysely'
import { statement } from '../../../database/prepared.ts'
import type { AccountRow } from '../../../database/schema/people/account.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import type { Meta } from '../../../database/store.ts'
import { newId } from '../../../rules/ids.ts'
import * as users from '../users/statements.ts'

export const insertAccount = statement((meta: Meta, account: AccountRow) => meta.insertInto('account').values(account))

/**
 * True for an account that lets its user in. A user who was invited, was imported or signed up with a passkey can have
 * an account without a password.
 */
export const CAN_SIGN_IN = sql<SqlBool>`(provider <> 'credential' or password_hash is not null)`

/**
 * The user with this address, if nobody can sign in as them yet and an invitation would bypass no factor. In a
 * decision, the user must be locked.
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

/**
 * Also serves a user who signed up with a provider and had no password. The user must be locked. `printed` passwords
 * should be changed.
 */
export function setPassword(meta: Meta, userId: string, hash: string, now: number, printed?: 'printed') {
  const account = {
    id: newId(),
    user_id: userId,
    provider: 'credential',
    provider_account_id: userId,
    issuer: '',
    password_is_initial: printed ? 1 : 0,
  } as const
  return meta
    .insertInto('account')
    .values({ ...account, password_hash: hash, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'provider']).doUpdateSet((eb) => ({
        password_hash: eb.ref('excluded.password_hash'),
        password_is_initial: eb.ref('excluded.password_is_initial'),
        updated_at: eb.ref('excluded.updated_at'),
        breached_at: null,
      })),
    )
}

/** Accounts at providers that were linked since then. */
export function deleteAccountsSince(meta: Meta, userId: string, since: number) {
  return meta
    .deleteFrom('account')
    .where('user_id', '=', userId)
    .where('provider', '<>', 'credential')
    .where('created_at', '>=', since)
}

/** The row stays, because a user who had a password may choose another. The user must be locked. */
export function removePassword(meta: Meta, userId: string, now: number) {
  return meta
    .updateTable('account')
    .set({ password_hash: null, password_is_initial: 0, updated_at: now })
    .where('user_id', '=', userId)
    .where('provider', '=', 'credential')
}

/** The password is the same, and so is the time at which it was set. Does nothing if it was changed since its check. */
export function rehash(meta: Meta, userId: string, checked: string, hash: string) {
  return meta
    .updateTable('account')
    .set({ password_hash: hash })
    .where('user_id', '=', userId)
    .where('provider', '=', 'credential')
    .where('password_hash', '=', checked)
}

/** Returns a row unless a sign-in has found this password in the list of stolen ones. The user must be locked. */
export const untoldBreach = statement((meta: Meta, userId: string) =>
  meta
    .selectFrom('account')
    .select('id')
    .where('user_id', '=', userId)
    .where('provider', '=', 'credential')
    .where(({ or, eb }) => or([eb('breached_at', 'is', null), eb('breached_at', '<', eb.ref('updated_at'))])),
)

/** The user must be locked. */
export const breachTold = statement((meta: Meta, userId: string, now: number) =>
  meta
    .updateTable('account')
    .set({ breached_at: now })
    .where('user_id', '=', userId)
    .where('provider', '=', 'credential'),
)
