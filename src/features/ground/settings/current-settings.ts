import { Overtaken, untilNotOvertaken } from '../../../database/overtaken.ts'
import type { Meta } from '../../../database/store.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { forEachPart, parsedDocuments, type Settings } from './model.ts'
import * as store from './store.ts'

/**
 * The settings in force. With the revision that was read with the caller this needs no statement, otherwise
 * one. Either way the next request in any process sees a save.
 */
export async function currentSettings(platform: Platform, revision?: string): Promise<Settings> {
  const wanted = revision ?? (await store.getRevision(platform.meta))
  const settings = await platform.versioned.read('settings', wanted, () => readSettings(platform.meta))
  // A save came after the revision was read. A failover can lose it, so these settings have their own revision.
  if (settings.revision !== wanted) await platform.versioned.read('settings', settings.revision, async () => settings)
  return settings
}

/**
 * The settings of the revision that this request has read first, so that it reads it once. A decision that depends on
 * them checks that they are still in force: see `bySettings`.
 */
export async function settingsOf({ platform, exchange }: Pick<Call, 'platform' | 'exchange'>): Promise<Settings> {
  const settings = await currentSettings(platform, exchange.settingsRevision)
  exchange.settingsRevision = settings.revision
  return settings
}

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

/** Reads the settings from the store, without a cache. */
export async function readSettings(meta: Meta): Promise<Settings> {
  const row = await store.getRow(meta)
  return {
    revision: row.revision,
    history: row.history,
    versions: forEachPart((part) => row[`${part}_version`]),
    ...parsedDocuments(forEachPart((part) => JSON.parse(row[part]))),
  }
}
