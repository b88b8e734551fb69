import { z } from 'zod'
import { Id } from '../../../rules/ids.ts'
import { ROUTE_ACTIONS } from '../../../rules/scopes.ts'
import { Grant } from '../grants/input.ts'

export const SubjectKind = z.enum([
  ...(['application', 'notification', 'organization', 'product_scope'] as const),
  ...(['reply', 'shard', 'user', 'webhook'] as const),
])
export type SubjectKind = z.output<typeof SubjectKind>

const CallsToApprove = z.enum(['none', 'writes', 'everything'])

export const GrantChanges = z.object({
  id: Id,
  /** Calls per day (UTC); null for no limit. */
  daily_limit: z.int().min(1).max(1_000_000).nullable().optional(),
  /** The calls that wait for the user's approval. */
  approval: CallsToApprove.optional(),
})
export type GrantChanges = z.output<typeof GrantChanges>

export const ListedApproval = z.object({
  id: z.string(),
  grant_id: z.string(),
  kind: Grant.shape.kind,
  client_name: z.string(),
  client_domain: z.string().nullable(),
  /** The service that asks through the connection with an exchanged token; null if none does. */
  service: z.string().nullable(),
  route: z.string(),
  /** The name by which pages describe the route; null for a route that this version does not have. */
  action: z.enum(ROUTE_ACTIONS).nullable(),
  /** The target of the call, if the input names one that exists. */
  subject: z.object({ kind: SubjectKind, id: z.string(), name: z.string() }).nullable(),
  /** Exactly what will be done. */
  input: z.unknown(),
  created_at: z.int(),
  expires_at: z.int(),
})

export const ApprovalDecision = z.object({ id: Id, approve: z.boolean() })

/** The response of the route, once it has been carried out. */
const Result = z.object({ status: z.int(), body: z.unknown() })
export type Result = z.output<typeof Result>

export const Decided = z.object({ status: z.enum(['approved', 'denied']), result: Result.optional() })
export const Approval = z.object({
  status: z.enum(['pending', 'approved', 'denied', 'expired']),
  /** Can be fetched once, within ten minutes. */
  result: Result.optional(),
  /** When the result was given. */
  collected_at: z.int().optional(),
})
export type Approval = z.output<typeof Approval>
