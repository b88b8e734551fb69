import { Overtaken, untilNotOvertaken } from '../../../../database/overtaken.ts'
import { type Issue, Refusal } from '../../../../rules/refusal.ts'
import { type Act, type Doer, decide } from '../../acts/acts.ts'
import { currentSettings } from '../current-settings.ts'
import type { Flat } from '../documents.ts'
import type { Part, Settings } from '../model.ts'
import { lockedRevision } from '../statements.ts'
import * as store from '../store.ts'
import { changedPart, issuesOfSave } from './changed-part.ts'

interface Sent extends Flat {
  readonly expected_version: number
}

/**
 * Changes a part as a whole, or not at all; returns the settings as this save left them. It first tries the revision
 * that was read with the caller.
 */
export async function saveSettings(doer: Doer, part: Part, sent: Sent, revision?: string): Promise<Settings> {
  const { platform } = doer
  let known = revision
  return untilNotOvertaken(platform.meta, async () => {
    const loaded = await currentSettings(platform, known)
    known = undefined
    if (loaded.versions[part] !== sent.expected_version) {
      throw new Refusal('CONFIG_CONFLICT', 'Someone else has saved these settings since you read them.')
    }
    const document = changedPart(platform, loaded, part, sent)
    const after = { ...loaded, [part]: document }
    refuseIssues(issuesOfSave(platform, { part, fields: sentValues(sent), before: loaded, after }))
    const versions = await saveParts(doer, loaded, [{ part, document, fields: fieldsOf(sent) }])
    return { ...loaded, [part]: document, versions: { ...loaded.versions, ...versions } }
  })
}

// A failover can lose saves. Their versions must not be used again: a page may still have one loaded.
const MORE_THAN_CAN_BE_LOST = 1_000_000

export interface PartChange {
  readonly part: Part
  readonly document: Settings[Part]
  readonly fields: readonly string[]
}

/**
 * Saves all changes at once and returns the new versions. It is overtaken if any part has been saved in between,
 * because parts are checked together.
 */
export async function saveParts(
  doer: Doer,
  loaded: Settings,
  changes: readonly PartChange[],
): Promise<Partial<Settings['versions']>> {
  const save = await partsSave(doer, loaded, changes)
  return decide(doer, [lockedRevision(doer.platform.meta)], async (act, [held]) => {
    if (held?.revision !== loaded.revision) throw new Overtaken('other settings were saved in between')
    return save.write(act)
  })
}

/** The same, for a decision that holds the revision they were loaded at. */
export async function partsSave({ platform, caller }: Doer, loaded: Settings, changes: readonly PartChange[]) {
  const { meta, now } = platform
  const history = await meta.history()
  const step = history === loaded.history ? 1 : MORE_THAN_CAN_BE_LOST
  const versioned = changes.map((change) => ({ ...change, version: loaded.versions[change.part] + step }))
  return {
    write(act: Act): Partial<Settings['versions']> {
      act.write(store.updateRow(meta, versioned, history, now()))
      for (const { part, fields, version } of versioned)
        act.record('settings.update', {
          subject: { type: 'settings', id: part },
          details: { fields, version, ...(!caller && { from: 'host' }) },
          data: { part, version, fields },
        })
      return Object.fromEntries(versioned.map(({ part, version }) => [part, version]))
    },
  }
}

/** Returns names only, because a value may be a secret. */
function fieldsOf(sent: Sent): readonly string[] {
  return Object.keys(sent).filter((field) => field !== 'expected_version')
}

/** A secret that is kept does not count as sent. */
function sentValues(sent: Sent): readonly string[] {
  const entries: readonly [string, unknown][] = Object.entries(sent)
  return entries.filter(([, value]) => !isKept(value)).map(([field]) => field)
}

export function isKept(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'action' in value && value.action === 'keep'
}

function refuseIssues(issues: readonly Issue[]): void {
  const [first] = issues
  if (first) throw new Refusal('INVALID_REQUEST', `${first.path}: ${first.message}`, { issues })
}
