import { z } from 'zod'

const Counts = {
  sign_ups: z.int(),
  sign_ins: z.int(),
  /** How many different users signed in. */
  people: z.int(),
  refused: z.int(),
}

export const GetFigures = z.object({ days: z.int().min(1).max(90).default(30) })
export type GetFigures = z.output<typeof GetFigures>

export const Figures = z.object({
  /** Days in UTC, oldest first, today last, including days without any. */
  days: z.array(z.object({ day: z.iso.date(), ...Counts })),
  /** Totals of the same number of days before these, for comparison. */
  before: z.object({ sign_ups: z.int(), sign_ins: z.int(), refused: z.int() }),
})
