import type { Meta } from '../../database/store.ts'

/** For a statement about the user's address. */
export function emailOf(meta: Meta, userId: string) {
  return meta.selectFrom('user').select('email').where('id', '=', userId)
}

/** Every row of the global store that names the user goes with it. */
export function deleteUser(meta: Meta, userId: string) {
  return meta.deleteFrom('user').where('id', '=', userId)
}
