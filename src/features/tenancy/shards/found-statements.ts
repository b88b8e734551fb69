import type { Kysely } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { foundAs } from '../../../database/sql/found.ts'

/** For the administrator's search. It takes no lock. */
export function foundShard(db: Kysely<MetaTables>, id: string) {
  return db
    .selectFrom('shards')
    .select(['id', 'region as title', ...foundAs('shard', 'owner_id', 'scopes', 'last_used_at')])
    .where('id', '=', id)
}
