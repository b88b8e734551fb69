import type { Kysely } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { foundAs } from '../../../database/sql/found.ts'

// For the administrator's search. They take no lock.

export function foundWebhook(db: Kysely<MetaTables>, id: string) {
  return db
    .selectFrom('webhook')
    .select(['id', 'url as title', 'last_taken_at as last_used_at', ...foundAs('webhook', 'owner_id', 'scopes')])
    .where('id', '=', id)
}

export function foundDelivery(db: Kysely<MetaTables>, id: string) {
  return db
    .selectFrom('webhook_delivery')
    .select(['id', 'type as title', 'user_id as owner_id', 'last_attempt_at as last_used_at'])
    .select(foundAs('delivery', 'scopes'))
    .where('id', '=', id)
}
