import type { Kysely } from 'kysely'
import { Overtaken, untilNotOvertaken } from '../../../database/overtaken.ts'
import { prepared } from '../../../database/prepared.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { keepRowsUnchanged } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { currentSettings } from './current-settings.ts'
import type { Settings } from './model.ts'
import { currentRevision } from './statements.ts'

/**
 * Locks the settings' row before any other row of a decision, so a save waits for the commit. Once a save has returned,
 * nobody gets in by the former settings.
 */
export function heldRevision(meta: Meta) {
  return held(meta, {})
}

const held = prepared({}, (db: Kysely<MetaTables>) => keepRowsUnchanged(db)(currentRevision(db)))

/** Runs in a decision that has read `heldRevision`. */
export function refuseOtherSettings(
  { revision }: Pick<Settings, 'revision'>,
  [held]: readonly { readonly revision: string }[],
): void {
  if (held?.revision !== revision) throw new Overtaken('other settings were saved before the decision')
}

/**
 * Runs the act again if other settings were saved before the decision, so that everything is checked by the new ones.
 * The first run uses those that the request has read, if any.
 */
export function bySettings<T>(
  platform: Platform,
  act: (settings: Settings) => Promise<T>,
  known?: Settings,
): Promise<T> {
  let first = known
  return untilNotOvertaken(platform.meta, async () => {
    const settings = first ?? (await currentSettings(platform))
    first = undefined
    return act(settings)
  })
}
