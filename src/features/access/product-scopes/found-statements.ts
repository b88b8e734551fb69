import type { Kysely } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { foundAs } from '../../../database/sql/found.ts'

/** For the administrator's search. It takes no lock. */
export function foundProductScope(db: Kysely<MetaTables>, scope: string) {
  return db
    .selectFrom('product_scope')
    .select(['scope as id', 'description as title', 'scope as scopes'])
    .select(foundAs('product_scope', 'owner_id', 'last_used_at'))
    .where('scope', '=', scope)
}
