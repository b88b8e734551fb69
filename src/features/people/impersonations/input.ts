import { z } from 'zod'
import { Id } from '../../../rules/ids.ts'
import { listOf, Page } from '../../../rules/paging.ts'
import { SessionOfUser } from '../account/output.ts'

export const ImpersonateUser = z.object({
  userId: Id,
  /** The user sees it. */
  reason: z.string().trim().max(500).optional(),
  /** Also change things, if the settings allow it. */
  write: z.boolean().default(false),
})
export type ImpersonateUser = z.output<typeof ImpersonateUser>

/** Null if this browser has no session of its own any more. */
export const Stopped = z.union([SessionOfUser, z.object({ session: z.null(), user: z.null() })])

export const ListImpersonations = z.object({ ...Page.shape })

export const Impersonations = listOf(
  z.object({
    id: z.string(),
    /** The id of the administrator. */
    by: z.string(),
    reason: z.string().nullable(),
    mode: z.enum(['read_only', 'read_and_write']),
    started_at: z.int(),
    ended_at: z.int().nullable(),
    /** What may have changed something, newest first. */
    acts: z.array(z.object({ route: z.string(), at: z.int() })),
  }),
)
