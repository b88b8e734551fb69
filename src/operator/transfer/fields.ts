import { z } from 'zod'
import { longestName } from '../../features/identity/input.ts'

/** Fewer are seconds: as milliseconds they would be before March 1973. */
const FEWEST_MILLISECONDS = 100_000_000_000

/** Text, or a number of seconds or milliseconds. */
export const Time = z.union([z.number(), z.string()]).transform((value, context) => {
  const isInSeconds = typeof value === 'number' && value < FEWEST_MILLISECONDS
  const time = new Date(isInSeconds ? value * 1000 : value).getTime()
  if (Number.isFinite(time) && time > 0) return time
  context.addIssue({ code: 'custom', message: 'Expected a time.' })
  return z.NEVER
})

export const Name = z.string().max(longestName)
