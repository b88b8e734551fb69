import { z } from 'zod'
import { Id } from '../../../rules/ids.ts'
import { JsonObject } from '../../../rules/json-object.ts'
import { listOf } from '../../../rules/paging.ts'
import { CreditEntries } from '../../operations/credits/input.ts'
import { OwnFeedbacks } from '../../operations/feedback/input.ts'
import { Notification, Preferences } from '../../operations/notifications/input.ts'
import { Data } from '../product-data/input.ts'

export const UserId = z.object({ id: Id })

export const MoveUser = z.object({ id: Id, shard_id: Id })

const Role = z.enum(['user', 'administrator'])

const User = z.object({
  id: z.string(),
  name: z.string(),
  /** The handle that the provider used at sign-up. */
  handle: z.string().nullable(),
  email: z.string(),
  email_verified: z.boolean(),
  image: z.string().nullable(),
  role: Role,
  /** Empty for all but staff. */
  staff_scopes: z.array(z.string()),
  aff_code: z.string(),
  registration_utm_source: z.string().nullable(),
  /** The kinds of second factor that the user has. */
  factors: z.string(),
  suspended_at: z.int().nullable(),
  suspension_reason: z.string().nullable(),
  shard_id: z.string().nullable(),
  created_at: z.int(),
  updated_at: z.int(),
  /** Null if the user has never signed in. */
  last_sign_in_at: z.int().nullable(),
})
/** `searched`: how many of the first users were searched. Absent if all were. */
export const Users = listOf(User).extend({ searched: z.int().optional() })

export const ReadUser = z.object({
  id: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  name: z.string(),
  image: z.string().nullable(),
  role: Role,
  suspended_at: z.int().nullable(),
  created_at: z.int(),
  updated_at: z.int(),
  /** What the product has written. */
  public: JsonObject,
})

const Account = z.object({
  provider: z.enum(['credential', 'provider_a', 'provider_b', 'community']),
  issuer: z.string(),
  provider_account_id: z.string(),
  created_at: z.int(),
})

const Session = z.object({
  id: z.string(),
  created_at: z.int(),
  last_used_at: z.int(),
  expires_at: z.int(),
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  place: z.string().nullable(),
})

const Grant = z.object({
  id: z.string(),
  client_name: z.string(),
  kind: z.enum(['tool', 'application', 'service', 'personal']),
  target_origin: z.string(),
  scopes: z.array(z.string()),
  created_at: z.int(),
  last_used_at: z.int().nullable(),
  revoked_at: z.int().nullable(),
})

const Identity = {
  ...User.shape,
  accounts: z.array(Account),
  sessions: z.array(Session),
  /** The networks that sign-ins have come from, the latest first. */
  known_networks: z.array(z.object({ network: z.string(), signed_in_at: z.int() })),
  grants: z.array(Grant),
  beta_code: z.object({ code: z.string(), used_at: z.int().nullable() }).nullable(),
}

/** The balance and the count are null while the user's shard is down. */
export const UserFacts = z.object({
  ...Identity,
  balance: z.int().nullable(),
  feedbacks: z.int().nullable(),
})

const InOrganization = {
  organization_id: z.string(),
  slug: z.string(),
  name: z.string(),
  roles: z.array(z.string()),
}

/** Everything stored about the caller. */
export const AccountExport = z.object({
  exported_at: z.int(),
  user: z.object(Identity),
  data: Data,
  memberships: z.array(z.object({ ...InOrganization, created_at: z.int() })),
  /** To the user's address, while they are kept. */
  invitations: z.array(
    z.object({
      ...InOrganization,
      status: z.enum(['pending', 'accepted', 'rejected', 'canceled']),
      created_at: z.int(),
      expires_at: z.int(),
      ended_at: z.int().nullable(),
    }),
  ),
  notifications: z.object({
    targeted: z.array(Notification.omit({ read: true })),
    read: z.array(z.string()),
    preferences: Preferences.shape.items,
  }),
  feedbacks: OwnFeedbacks.shape.items,
  credits: z.object({ balance: z.int(), entries: CreditEntries.shape.items }),
  audit: z.array(
    z.object({
      created_at: z.int(),
      action: z.string(),
      ip: z.string().nullable(),
      details: z.record(z.string(), z.unknown()),
    }),
  ),
})
