import type { Meta } from '../../database/store.ts'

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
