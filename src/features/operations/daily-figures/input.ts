import { z } from 'zod'
import { isTimeZone } from './days.ts'

const Counts = {
  sign_ups: z.int(),
  sign_ins: z.int(),
  /** The number of different users who signed in. */
  people: z.int(),
  refused: z.int(),
}

/** A name from the time zone database. */
const TimeZone = z.string().max(64).refine(isTimeZone, 'No time zone has this name.')

export const GetFigures = z.object({
  days: z.int().min(1).max(90).default(30),
  /** The time zone whose midnights begin the days. */
  time_zone: TimeZone.default('UTC'),
})
export type GetFigures = z.output<typeof GetFigures>

export const Figures = z.object({
  /** Oldest first, today last, including days without any. */
  days: z.array(z.object({ day: z.iso.date(), ...Counts })),
  /** Totals of the same number of days before these, for comparison. */
  before: z.object({ sign_ups: z.int(), sign_ins: z.int(), refused: z.int() }),
})
