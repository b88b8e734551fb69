import { sql } from 'kysely'
import type { Guard } from '../../database/guard.ts'
import { failUnless } from '../../database/instance.ts'
import { keepRowsUnchanged } from '../../database/sql/row-lock.ts'
import { type Meta, StoreUnavailable } from '../../database/store.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Settings } from './model.ts'
import { currentSettings } from './settings.ts'
import { currentRevision, REVISION } from './statements.ts'

/**
 * For a batch that depends on the settings: it locks them, so that a save waits for its end, and fails if others
 * have been saved. So nobody gets in by the former settings once a save has returned.
 */
export function whileSettingsAre(meta: Meta, { revision }: Settings): Guard {
  const same = currentRevision(meta).where(REVISION, '=', revision)
  return {
    lock: keepRowsUnchanged(meta)(currentRevision(meta)),
    statement: failUnless(meta, sql`exists ${same}`),
    table: 'instance',
    column: 'value',
    refused: (cause) => new SavedBefore('other settings were saved before the batch', { cause }),
  }
}

class SavedBefore extends Error {}

// Each further turn needs another save between two statements.
const TURNS = 20

/** Runs again with the new settings, so that everything is checked by them, if others were saved before the batch. */
export async function bySettings<T>(platform: Platform, act: (settings: Settings) => Promise<T>): Promise<T> {
  for (let turn = 1; turn <= TURNS; turn++) {
    const settings = await currentSettings(platform)
    try {
      return await act(settings)
    } catch (error) {
      if (!(error instanceof SavedBefore)) throw error
    }
  }
  throw new StoreUnavailable(platform.meta.name)
}
