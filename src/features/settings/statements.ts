import { type Kysely, sql } from 'kysely'
import type { MetaTables } from '../../database/schema/tables.ts'

/** Names one save in one history: a counter alone repeats after a failover that lost the last saves. */
export const REVISION = sql<string>`cast(settings.revision as text) || ' ' || settings.token`

/** For a column of another query: `currentSettings` then costs no statement. */
export function currentRevision(db: Kysely<MetaTables>) {
  return db
    .selectFrom('settings')
    .select(REVISION.as('revision'))
    .where('settings.id', '=', sql.lit('global'))
}
