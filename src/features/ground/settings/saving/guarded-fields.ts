import { isDeepStrictEqual } from 'node:util'
import { type Part, settingsParts } from '../model.ts'
import { isKept } from './saving.ts'

interface Sent {
  readonly expected_version: number
}

/** The guarded fields that a save sends. */
export function guardedValues(part: Part, sent: Sent): readonly (readonly [string, unknown])[] {
  const guarded = settingsParts[part].wire.flatMap(({ name, guarded }) => (guarded ? [name] : []))
  return Object.entries(sent).filter(
    ([field, value]) => guarded.includes(field) && value !== undefined && !isKept(value),
  )
}

/**
 * True if one of these would change. A secret that is sent always counts, because comparing it would help a guesser. So
 * does every value sent for another version: the settings can change before the save.
 */
export function wouldChange(
  guarded: ReturnType<typeof guardedValues>,
  { expected_version }: Sent,
  present: { readonly version: number },
): boolean {
  const values: ReadonlyMap<string, unknown> = new Map(Object.entries(present))
  return guarded.some(
    ([field, value]) => expected_version !== present.version || !isDeepStrictEqual(value, values.get(field)),
  )
}
