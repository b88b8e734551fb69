import { type Expression, sql } from 'kysely'
import { v7 as newId } from 'uuid'
import { insertWhere } from '../../../database/sql/insert-where.ts'
import type { Meta } from '../../../database/store.ts'
import { type Users, userByEmail } from '../../users/statements.ts'

/**
 * Also for a user who signed up with a provider and had no password. After `lockUserByEmail`, so the user
 * stays.
 */
export function setPassword(
  meta: Meta,
  email: string,
  onlyIf: Expression<unknown>,
  hash: string,
  now: number,
) {
  const user = userByEmail(meta, email).where(({ exists }) => exists(onlyIf))
  const id = sql.ref<string>('user.id')
  const account = { id: newId(), user_id: id, provider: 'credential', provider_account_id: id } as const
  const times = { created_at: now, updated_at: now }
  return insertWhere(meta, 'account', { ...account, password_hash: hash, ...times }, user)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'provider']).doUpdateSet((eb) => ({
        password_hash: eb.ref('excluded.password_hash'),
        password_is_initial: 0,
        updated_at: eb.ref('excluded.updated_at'),
      })),
    )
    .returning('user_id')
}

/** For a password that was printed, and should be changed. */
export function setPrintedPassword(meta: Meta, userId: string, passwordHash: string, now: number) {
  return meta
    .updateTable('account')
    .set({ password_hash: passwordHash, password_is_initial: 1, updated_at: now })
    .where('user_id', '=', userId)
    .where('provider', '=', 'credential')
    .returning('id')
}

export async function passwordHashOf(meta: Meta, userId: string): Promise<string | undefined> {
  const row = await accountOf(meta, userId).select('password_hash').executeTakeFirst()
  return row?.password_hash ?? undefined
}

export function accountWithPassword(meta: Meta, userId: string, hash: string) {
  return accountOf(meta, userId).select('id').where('password_hash', '=', hash)
}

function accountOf(meta: Meta, userId: string) {
  return meta.primary.selectFrom('account').where('user_id', '=', userId).where('provider', '=', 'credential')
}

/** A condition inside a query of users: the user's password is the one with this hash. */
export function accountOfUserWith(meta: Meta, hash: string) {
  return meta
    .selectFrom('account')
    .select('account.id')
    .where('account.user_id', '=', sql.ref<string>('user.id'))
    .where('provider', '=', 'credential')
    .where('password_hash', '=', hash)
}

/**
 * For a password that somebody else set. After the users' rows are locked, which every change of a password
 * also locks.
 */
export function deletePasswordOf(meta: Meta, users: Users) {
  return meta
    .deleteFrom('account')
    .where('account.user_id', 'in', users)
    .where('provider', '=', 'credential')
    .returning('user_id')
}

/** Only in place of the password that was checked. */
export function replacePassword(meta: Meta, userId: string, checked: string, hash: string, now: number) {
  return meta
    .updateTable('account')
    .set({ password_hash: hash, password_is_initial: 0, updated_at: now })
    .where('user_id', '=', userId)
    .where('provider', '=', 'credential')
    .where('password_hash', '=', checked)
    .returning('id')
}

/** Does nothing if the password was changed since it was checked. */
export function rehash(meta: Meta, userId: string, checked: string, hash: string, now: number) {
  return meta
    .updateTable('account')
    .set({ password_hash: hash, updated_at: now })
    .where('user_id', '=', userId)
    .where('provider', '=', 'credential')
    .where('password_hash', '=', checked)
}
