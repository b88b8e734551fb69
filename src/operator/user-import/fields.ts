import { z } from 'zod'
import { longestName } from '../../features/people/account/input.ts'
import { Id } from '../../rules/ids.ts'
import { JsonObject } from '../../rules/json-object.ts'
import { isSavable } from '../../rules/product-data.ts'
import { isStorable } from '../../rules/unstorable.ts'

/** Smaller numbers are seconds: as milliseconds they would be before March 1973. */
const FEWEST_MILLISECONDS = 100_000_000_000

const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/

/** Text, which is in UTC unless it names a zone, or a number of seconds or milliseconds. */
export const Time = z.union([z.number(), z.string()]).transform((value, context) => {
  const time = typeof value === 'number' ? inMilliseconds(value) : Date.parse(withZone(value))
  if (Number.isFinite(time) && time > 0) return time
  context.addIssue({ code: 'custom', message: 'Expected a time.' })
  return z.NEVER
})

function inMilliseconds(number: number): number {
  return new Date(number < FEWEST_MILLISECONDS ? number * 1000 : number).getTime()
}

function withZone(text: string): string {
  return WITHOUT_ZONE.test(text) ? `${text}Z` : text
}

/** Many databases number their users. */
export const ForeignId = z.union([Id, z.int().transform(String)])

export const Name = z.string().max(longestName).refine(isStorable)

/** What the product kept about the user, by its parts. */
export const DataOfUser = z
  .strictObject({ public: JsonObject.optional(), private: JsonObject.optional(), own: JsonObject.optional() })
  .refine(isStorable)
  .refine((data) => isSavable(data, 'replaced'))
