import { type Kysely, sql } from 'kysely'
import { v4 as newId } from 'uuid'
import { prepared } from '../../../database/prepared.ts'
import type { PartColumns } from '../../../database/schema/settings.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { keepRowsUnchanged, lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import { type Documents, defaultSettings, type Part, parts } from './model.ts'

/** Identifies one save: a counter alone would repeat after a failover that lost the last saves. */
export const REVISION = sql<string>`cast(settings.revision as text) || ' ' || settings.token`

/** A column for another query, so that `currentSettings` needs no statement of its own. */
export function currentRevision(db: Kysely<MetaTables>) {
  return db.selectFrom('settings').select(REVISION.as('revision')).where('settings.id', '=', sql.lit('global'))
}

/**
 * Locks the settings' row before any other row of a decision, so a save waits for the commit. Once a save has returned,
 * nobody gets in by the former settings.
 */
export function heldRevision(meta: Meta) {
  return held(meta, {})
}

const held = prepared({}, (db: Kysely<MetaTables>) => keepRowsUnchanged(db)(currentRevision(db)))

/** Locks the settings for a save: decisions that depend on them wait, and so do other saves. */
export function lockedRevision(meta: Meta) {
  return currentRevision(meta).$call(lockRows(meta))
}

/** Runs at the first preparation only; an existing record stays as it is. */
export async function insertDefaultSettings(meta: Meta, now: number): Promise<void> {
  const known = await meta.primary.selectFrom('settings').select('id').executeTakeFirst()
  if (known) return
  const defaults = defaultSettings()
  await meta
    .insertInto('settings')
    .values({
      id: 'global',
      revision: 1,
      token: newId(),
      history: await meta.history(),
      ...columnsOf(parts.map((part) => ({ part, document: defaults[part], version: 1 }))),
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Writes only the given parts. */
export function columnsOf<Version>(
  documents: readonly {
    readonly part: Part
    readonly document: Documents[Part]
    readonly version: Version
  }[],
): PartColumns<Version> {
  const columns = documents.flatMap(({ part, document, version }) => [
    [part, JSON.stringify(document)],
    [`${part}_version`, version],
  ])
  return Object.fromEntries(columns)
}
