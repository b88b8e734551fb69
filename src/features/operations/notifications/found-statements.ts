import type { Kysely } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { foundAs } from '../../../database/sql/found.ts'

/** For the administrator's search. It takes no lock. */
export function foundNotification(db: Kysely<MetaTables>, id: string) {
  return db
    .selectFrom('notifications')
    .select(['id', 'title', 'target_user_id as owner_id', ...foundAs('notification', 'scopes', 'last_used_at')])
    .where('id', '=', id)
}
