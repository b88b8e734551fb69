import type { Kysely } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { foundAs } from '../../../database/sql/found.ts'

/** For the administrator's search. It takes no lock. */
export function foundBetaCode(db: Kysely<MetaTables>, code: string) {
  return db
    .selectFrom('beta_codes')
    .select(['code as id', 'code as title', 'used_by as owner_id', 'used_at as last_used_at'])
    .select(foundAs('beta_code', 'scopes'))
    .where('code', '=', code)
}
