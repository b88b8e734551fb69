import { z } from 'zod'
import { Id } from '../../../rules/ids.ts'
import { listOf } from '../../../rules/paging.ts'
import { STAFF_SCOPES } from '../../../rules/staff.ts'

const StaffScope = z.enum(STAFF_SCOPES)

export const UpdateStaff = z.object({
  user_id: Id,
  /** Replaces those held before. Without any, the user is no longer on the staff. */
  scopes: z.array(StaffScope).max(STAFF_SCOPES.length),
})
export type UpdateStaff = z.output<typeof UpdateStaff>

export const StaffMembers = listOf(
  z.object({
    user_id: z.string(),
    email: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    since: z.int(),
    /** The newest entry in the audit log, sign-ins left out; null without any. */
    last_act_at: z.int().nullable(),
  }),
)
