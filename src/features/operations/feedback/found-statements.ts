import { type Kysely, sql } from 'kysely'
import type { ShardTables } from '../../../database/schema/tables.ts'
import { foundAs } from '../../../database/sql/found.ts'

/** For the administrator's search. It takes no lock. */
export function foundFeedback(db: Kysely<ShardTables>, id: string) {
  return db
    .selectFrom('feedbacks')
    .select(['id', sql<string>`substr(content, 1, 120)`.as('title'), 'user_id as owner_id'])
    .select(foundAs('feedback', 'scopes', 'last_used_at'))
    .where('id', '=', id)
}
