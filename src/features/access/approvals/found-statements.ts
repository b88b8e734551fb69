import type { Kysely } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { foundAs } from '../../../database/sql/found.ts'

/** For the administrator's search. It takes no lock. */
export function foundApproval(db: Kysely<MetaTables>, id: string) {
  return db
    .selectFrom('approval')
    .select(['id', 'path as title', 'user_id as owner_id', 'scopes', ...foundAs('approval', 'last_used_at')])
    .where('id', '=', id)
}
