import { type Kysely, sql } from 'kysely'
import { v4 as newId } from 'uuid'
import type { MetaTables } from '../../../database/schema/tables.ts'
import type { Meta } from '../../../database/store.ts'
import { defaultSettings } from './model.ts'

/** Identifies one save: a counter alone would repeat after a failover that lost the last saves. */
export const REVISION = sql<string>`cast(settings.revision as text) || ' ' || settings.token`

/** A column for another query, so that `currentSettings` needs no statement of its own. */
export function currentRevision(db: Kysely<MetaTables>) {
  return db
    .selectFrom('settings')
    .select(REVISION.as('revision'))
    .where('settings.id', '=', sql.lit('global'))
}

/** At the first preparation only; an existing record stays as it is. */
export async function insertDefaultSettings(meta: Meta, now: number): Promise<void> {
  const known = await meta.primary.selectFrom('settings').select('id').executeTakeFirst()
  if (known) return
  await meta
    .insertInto('settings')
    .values({
      id: 'global',
      revision: 1,
      token: newId(),
      history: await meta.history(),
      authentication: JSON.stringify(defaultSettings.authentication),
      authentication_version: 1,
      email: JSON.stringify(defaultSettings.email),
      email_version: 1,
      credits: JSON.stringify(defaultSettings.credits),
      credits_version: 1,
      ai: JSON.stringify(defaultSettings.ai),
      ai_version: 1,
      brand: JSON.stringify(defaultSettings.brand),
      brand_version: 1,
      assistants: JSON.stringify(defaultSettings.assistants),
      assistants_version: 1,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}
