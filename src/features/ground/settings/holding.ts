import { sql } from 'kysely'
import { type Guard, Overtaken, untilNotOvertaken } from '../../../database/guard.ts'
import { failUnless } from '../../../database/instance.ts'
import { keepRowsUnchanged } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Settings } from './model.ts'
import { currentSettings } from './settings.ts'
import { currentRevision, REVISION } from './statements.ts'

/**
 * For a batch that depends on the settings: it locks them, so that a save waits for its end, and fails if others
 * have been saved. So nobody gets in by the former settings once a save has returned.
 */
export function whileSettingsAre(meta: Meta, { revision }: Pick<Settings, 'revision'>): Guard {
  const same = currentRevision(meta).where(REVISION, '=', revision)
  return {
    lock: keepRowsUnchanged(meta)(currentRevision(meta)),
    statement: failUnless(meta, sql`exists ${same}`),
    table: 'instance',
    column: 'value',
    refused: (cause) => new Overtaken('other settings were saved before the batch', { cause }),
  }
}

/** For a decision: locks the settings' row, before any other. */
export function heldRevision(meta: Meta) {
  return keepRowsUnchanged(meta)(currentRevision(meta))
}

/** In a decision that has read `heldRevision`. */
export function refuseOtherSettings(
  { revision }: Pick<Settings, 'revision'>,
  [held]: readonly { readonly revision: string }[],
): void {
  if (held?.revision !== revision) throw new Overtaken('other settings were saved before the decision')
}

/** Runs again with the new settings, so that everything is checked by them, if others were saved before the batch. */
export function bySettings<T>(platform: Platform, act: (settings: Settings) => Promise<T>): Promise<T> {
  return untilNotOvertaken(platform.meta, async () => act(await currentSettings(platform)))
}
