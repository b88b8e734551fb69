import { z } from 'zod'
import { Id } from '../../../rules/ids.ts'
import { Page } from '../../../rules/paging.ts'
import { Grant } from '../grants/input.ts'

const Needed = z.enum(['none', 'writes', 'everything'])

export const GrantChanges = z.object({
  id: Id,
  /** Of calls in a day (UTC); null for no limit. */
  daily_limit: z.int().min(1).max(1_000_000).nullable().optional(),
  /** Which calls wait for the user's own approval. */
  approval: Needed.optional(),
})
export type GrantChanges = z.output<typeof GrantChanges>

export const ListedApproval = z.object({
  id: z.string(),
  grant_id: z.string(),
  kind: Grant.shape.kind,
  client_name: z.string(),
  client_domain: z.string().nullable(),
  /** That asks through the connection, with a token from a token exchange. */
  service: z.string().nullable(),
  route: z.string(),
  /** Exactly what will be done. */
  input: z.unknown(),
  created_at: z.int(),
  expires_at: z.int(),
})

export const ApprovalDecision = z.object({ id: Id, approve: z.boolean() })

/** The response of the route, once it was carried out. */
const Result = z.object({ status: z.int(), body: z.unknown() })

export const Decided = z.object({ status: z.enum(['approved', 'denied']), result: Result.optional() })
export const Approval = z.object({
  status: z.enum(['pending', 'approved', 'denied', 'expired']),
  result: Result.optional(),
})
export type Approval = z.output<typeof Approval>

export const ActsOfGrant = z.object({ id: Id, ...Page.shape })

export const ListedAct = z.object({
  id: z.string(),
  route: z.string(),
  created_at: z.int(),
  ip: z.string().nullable(),
  /** The status of the response; 202 if it waits for approval. */
  status: z.int(),
  approval_id: z.string().nullable(),
  /** That made it for the connection, with a token from a token exchange. */
  service: z.string().nullable(),
})
