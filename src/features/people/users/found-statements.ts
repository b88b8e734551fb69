import { type Kysely, sql } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { foundAs } from '../../../database/sql/found.ts'

/** For the administrator's search. It takes no lock. */
export function foundUser(db: Kysely<MetaTables>, by: 'id' | 'aff_code', value: string) {
  return db
    .selectFrom('user')
    .select(['id', sql<string>`case when name = '' then email else name end`.as('title'), 'id as owner_id'])
    .select([sql<number | null>`nullif(last_sign_in_at, 0)`.as('last_used_at'), ...foundAs('user', 'scopes')])
    .where(by, '=', value)
}
