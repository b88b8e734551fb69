import type { Kysely } from 'kysely'
import type { ShardTables } from '../../../database/schema/tables.ts'
import { foundAs } from '../../../database/sql/found.ts'

/** For the administrator's search. It takes no lock. */
export function foundCreditEntry(db: Kysely<ShardTables>, id: string) {
  return db
    .selectFrom('credit_entries')
    .select(['id', 'source_type as title', 'user_id as owner_id'])
    .select(foundAs('credit_entry', 'scopes', 'last_used_at'))
    .where('id', '=', id)
}
