import type { Meta } from '../../platform/store.ts'

export function administrator(meta: Meta) {
  return meta.primary.selectFrom('user').selectAll().where('role', '=', 'administrator').executeTakeFirst()
}

export function userByEmail(meta: Meta, email: string) {
  return meta.primary.selectFrom('user').selectAll().where('email', '=', email).executeTakeFirst()
}
