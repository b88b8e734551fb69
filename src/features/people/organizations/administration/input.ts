import { z } from 'zod'
import { Email } from '../../../../rules/email.ts'
import { Id } from '../../../../rules/ids.ts'
import { JsonObject } from '../../../../rules/json-object.ts'
import { textOf } from '../../../../rules/names.ts'
import { listOf, Page } from '../../../../rules/paging.ts'
import { ROLES_OF_A_MEMBER, RoleName } from '../../../../rules/permissions.ts'
import { MOST_SEATS } from '../../../ground/settings/parts/organizations.ts'
import { GroupName, Logo, Slug } from '../input.ts'

const STATUSES = ['active', 'suspended', 'ownerless'] as const
const LONGEST_REASON = 500

/** Null for the figure of the settings. */
const Seats = z.int().min(1).max(MOST_SEATS).nullable()

const Item = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  created_at: z.int(),
  status: z.enum(STATUSES),
  members: z.int(),
  /** Null if those of the settings count. */
  seats: z.int().nullable(),
})

export const ListOrganizations = Page.extend({
  search: z.string().max(200).default(''),
  status: z.enum(STATUSES).optional(),
})
export type ListOrganizations = z.output<typeof ListOrganizations>
export const Organizations = listOf(Item)

export const OrganizationId = z.object({ id: Id })
export const Organization = Item.extend({
  logo: z.string().nullable(),
  updated_at: z.int(),
  owners: z.int(),
  pending_invitations: z.int(),
  suspended_at: z.int().nullable(),
  suspension_reason: z.string().nullable(),
})

export const CreateOrganization = z.object({
  name: GroupName,
  slug: Slug.optional(),
  owner_id: Id.optional(),
  seats: Seats.optional(),
})
export type CreateOrganization = z.output<typeof CreateOrganization>

export const UpdateOrganization = z.object({
  id: Id,
  name: GroupName.optional(),
  slug: Slug.optional(),
  logo: Logo,
  seats: Seats.optional(),
})
export type UpdateOrganization = z.output<typeof UpdateOrganization>

export const SuspendOrganization = z.object({ id: Id, reason: textOf(LONGEST_REASON).trim() })
export type SuspendOrganization = z.output<typeof SuspendOrganization>

export const ListOrganizationMembers = Page.extend({
  organization_id: Id,
  search: z.string().max(200).default(''),
  role: RoleName.optional(),
})
export type ListOrganizationMembers = z.output<typeof ListOrganizationMembers>

export const OrganizationMembers = listOf(
  z.object({
    user_id: z.string(),
    email: z.string(),
    name: z.string(),
    image: z.string().nullable(),
    roles: z.array(z.string()),
    created_at: z.int(),
  }),
)

const RoleNames = z
  .array(RoleName)
  .min(1)
  .max(ROLES_OF_A_MEMBER)
  .overwrite((roles) => [...new Set(roles)])

export const MemberOf = z.object({ organization_id: Id, user_id: Id })
export type MemberOf = z.output<typeof MemberOf>
export const MemberWithRoles = MemberOf.extend({ roles: RoleNames })
export type MemberWithRoles = z.output<typeof MemberWithRoles>

export const InviteMember = z.object({
  organization_id: Id,
  email: Email,
  roles: RoleNames,
  resend: z.boolean().default(false),
})
export type InviteMember = z.output<typeof InviteMember>

export const ReadOrganization = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  logo: z.string().nullable(),
  /** What the product has written. */
  public: JsonObject,
  suspended_at: z.int().nullable(),
  created_at: z.int(),
  updated_at: z.int(),
})

export const ReadMember = z.object({
  id: z.string(),
  organization_id: z.string(),
  user_id: z.string(),
  roles: z.array(z.string()),
  created_at: z.int(),
})
