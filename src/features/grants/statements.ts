import type { Meta } from '../../database/store.ts'
import type { Users } from '../users/statements.ts'

export function grantsOf(meta: Meta, userId: string) {
  return meta
    .selectFrom('api_grant')
    .select(['id', 'client_name', 'target_origin', 'scopes', 'created_at', 'last_used_at', 'revoked_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

export async function touchGrant(meta: Meta, id: string, now: number): Promise<void> {
  await meta.updateTable('api_grant').set({ last_used_at: now }).where('id', '=', id).execute()
}

/** The grants' rows are locked first, as in a refresh. */
export function endGrantsOf(meta: Meta, users: Users, now: number) {
  const grants = meta.selectFrom('api_grant').select('id').where('user_id', 'in', users)
  return [
    meta
      .updateTable('api_grant')
      .set({ revoked_at: now })
      .where('user_id', 'in', users)
      .where('revoked_at', 'is', null),
    meta.deleteFrom('access_token').where('grant_id', 'in', grants),
    meta.deleteFrom('refresh_token').where('grant_id', 'in', grants),
  ] as const
}

/** What was begun, or approved and not yet redeemed, is as if the user had said no. */
export function endRequestsOf(meta: Meta, users: Users) {
  return meta
    .updateTable('authorization_request')
    .set({ state: 'denied' })
    .where('user_id', 'in', users)
    .where('state', 'in', ['pending', 'approved'])
}
