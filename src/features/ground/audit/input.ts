import { z } from 'zod'
import { Id } from '../../../rules/ids.ts'
import { CreatedRange, InOrder, listOf, Page } from '../../../rules/paging.ts'

export const ListAuditEntries = z.object({
  action: z.union([z.string(), z.array(z.string()).min(1).max(64)]).optional(),
  actor_id: Id.optional(),
  subject_type: z.string().optional(),
  subject_id: Id.optional(),
  /**
   * Words in any order, each a part of the name, address or id of the user who acted or of the affected user; the whole
   * address of a refused sign-in; or an IP address or its beginning, such as `203.0.113.`.
   */
  search: z.string().trim().max(254).optional(),
  /** Selects acts by this user or on this user. */
  user_id: Id.optional(),
  ip: z.string().max(64).optional(),
  ...InOrder.shape,
  ...CreatedRange.shape,
  ...Page.shape,
})
export type ListAuditEntries = z.output<typeof ListAuditEntries>

export const AuditEntries = listOf(
  z.object({
    id: z.string(),
    created_at: z.int(),
    action: z.string(),
    actor_id: z.string().nullable(),
    /** Also null if the user was deleted. */
    actor_email: z.string().nullable(),
    subject_type: z.string().nullable(),
    subject_id: z.string().nullable(),
    organization_id: z.string().nullable(),
    /** Null if the subject is not a user, or if the user was deleted. */
    subject_email: z.string().nullable(),
    /** Of a notification, an application, a webhook or a connection; null if it is gone. */
    subject_name: z.string().nullable(),
    ip: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
  }),
)
