import type { Query, Rows } from '../../../database/decision.ts'
import type { Call } from '../../../http/route.ts'
import { type Act, decide, type Refused } from '../acts/acts.ts'
import { bySettings, refuseOtherSettings, settingsOf } from './current-settings.ts'
import type { Settings } from './model.ts'
import { heldRevision } from './statements.ts'

/** A decision by the settings, which stay as they are until the commit. It starts over if they have changed meanwhile. */
export async function decideBySettings<const Queries extends readonly Query[], T>(
  call: Call,
  first: Queries,
  work: (act: Act, settings: Settings, ...rows: Rows<Queries>) => Promise<T | Refused>,
): Promise<T> {
  const { platform } = call
  const known = await settingsOf(call)
  const decided = (settings: Settings) =>
    decide(call, [heldRevision(platform.meta), ...first], async (act, revisions, ...rows) => {
      refuseOtherSettings(settings, revisions)
      return work(act, settings, ...(rows as unknown as Rows<Queries>))
    })
  return bySettings(platform, decided, known)
}
