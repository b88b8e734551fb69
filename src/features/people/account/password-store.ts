import { v7 as newId } from 'uuid'
import type { Meta } from '../../../database/store.ts'

/**
 * For a decision that has locked the user, including one who signed up with a provider and had no password. `printed`
 * passwords should be changed.
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
      })),
    )
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
