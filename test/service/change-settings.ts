import { sql } from 'kysely'
import type { Part, Settings } from '../../src/features/ground/settings/model.ts'
import type { Service } from './service.ts'

/** Leaves in the store what a save by the administrator would. */
export async function changeSettings<P extends Part>(
  { platform }: Service,
  part: P,
  fields: Partial<Settings[P]>,
): Promise<void> {
  const row = await platform.meta.primary.selectFrom('settings').selectAll().executeTakeFirstOrThrow()
  await platform.meta
    .updateTable('settings')
    .set({ [part]: JSON.stringify({ ...JSON.parse(row[part]), ...fields }), revision: sql`revision + 1` })
    .execute()
}
