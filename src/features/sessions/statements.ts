import type { Meta } from '../../database/store.ts'

export function sessionsOf(meta: Meta, userId: string, now: number) {
  return meta
    .selectFrom('session')
    .select(['id', 'created_at', 'last_used_at', 'expires_at', 'ip', 'user_agent', 'place'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}
