import { type Kysely, sql } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'

/** Identifies one save: a counter alone would repeat after a failover that lost the last saves. */
export const REVISION = sql<string>`cast(settings.revision as text) || ' ' || settings.token`

/** A column for another query, so that `currentSettings` needs no statement of its own. */
export function currentRevision(db: Kysely<MetaTables>) {
  return db
    .selectFrom('settings')
    .select(REVISION.as('revision'))
    .where('settings.id', '=', sql.lit('global'))
}
