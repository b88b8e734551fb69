import type { Kysely } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { foundAs } from '../../../database/sql/found.ts'

/** For the administrator's search. It takes no lock. */
export function foundEntry(db: Kysely<MetaTables>, id: string) {
  return db
    .selectFrom('event')
    .select(['id', 'action as title', 'actor_id as owner_id', 'created_at as last_used_at'])
    .select(foundAs('audit_entry', 'scopes'))
    .where('id', '=', id)
    .where('action', '<>', '')
}
