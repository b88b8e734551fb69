import { z } from 'zod'
import { Id } from '../../../rules/ids.ts'
import { JsonObject } from '../../../rules/json-object.ts'
import { nameOf } from '../../../rules/names.ts'
import { Permissions, ROLES_OF_A_MEMBER, RoleName } from '../../../rules/permissions.ts'

const LONGEST_NAME = 100
/** Also in characters that look like these. */
const LIKE_AN_ADDRESS = /:\/\/|\bwww\.|[^\s./]\.[^\s./]+\//i

/** It stands in letters to strangers, so it is none of the addresses that mail programs make links of. */
export const GroupName = nameOf(LONGEST_NAME).refine(
  (name) => !LIKE_AN_ADDRESS.test(name.normalize('NFKC')),
  'Use a name that is not a web address.',
)

export const Slug = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])$/, 'Use 2 to 48 of a-z, 0-9 and -, with none of - at either end.')

export const Logo = z
  .url({ protocol: /^https$/, error: 'Use an https address.' })
  .max(2048)
  .nullish()

export const OrganizationId = Id.nullish()

export const Create = z.object({
  name: GroupName,
  slug: Slug.optional(),
  logo: Logo,
  /** Its `own` data, replaced as a whole. */
  metadata: JsonObject.optional(),
  keepCurrentActiveOrganization: z.boolean().default(false),
})
export type Create = z.output<typeof Create>

export const CheckSlug = z.object({ slug: Slug })

export const Update = z.object({
  organizationId: OrganizationId,
  data: z.object({
    name: GroupName.optional(),
    slug: Slug.optional(),
    logo: Logo,
    metadata: JsonObject.optional(),
  }),
})
export type Update = z.output<typeof Update>

export const OneOrganization = z.object({ organizationId: Id })
export const Named = z.object({ organizationId: OrganizationId, organizationSlug: z.string().max(64).optional() })
export const InOrganization = z.object({ organizationId: OrganizationId })

const MOST_AT_ONCE = 100
/** Numbers come as text in an address. */
const count = (largest: number) => z.coerce.number().int().min(0).max(largest)
const Limit = count(Number.MAX_SAFE_INTEGER)
  .default(MOST_AT_ONCE)
  .transform((limit) => Math.min(limit || MOST_AT_ONCE, MOST_AT_ONCE))
const Offset = count(1_000_000).default(0)

export const GetFull = Named.extend({ membersLimit: Limit })

export const ListMembers = Named.extend({
  limit: Limit,
  offset: Offset,
  search: z.string().max(200).default(''),
  sortBy: z.string().max(64).optional(),
  sortDirection: z.enum(['asc', 'desc']).default('asc'),
  filterField: z.enum(['role', 'userId'], 'Filter by role or userId.').optional(),
  filterValue: z.string().max(128).optional(),
  filterOperator: z.literal('eq', 'The one operator is eq.').optional(),
})
export type ListMembers = z.output<typeof ListMembers>

export const MemberRole = Named.extend({ userId: Id.optional() })

/** One to five, each once: joined by commas, or a list. */
export const Roles = z
  .union([z.string(), z.array(z.string()).max(ROLES_OF_A_MEMBER)])
  .transform((sent) => [...new Set([sent].flat().flatMap((each) => each.split(',')))].map((each) => each.trim()))
  .transform((roles) => [...new Set(roles)].filter(Boolean))
  .pipe(z.array(RoleName).min(1).max(ROLES_OF_A_MEMBER))

export const RemoveMember = z.object({ memberIdOrEmail: z.string().min(1).max(254), organizationId: OrganizationId })
export type RemoveMember = z.output<typeof RemoveMember>

export const UpdateMemberRole = z.object({ memberId: Id, role: Roles, organizationId: OrganizationId })
export type UpdateMemberRole = z.output<typeof UpdateMemberRole>

const Wanted = z.record(z.string().max(64), z.array(z.string().max(64)).max(64))

/** 1.6 sends `permissions`; `permission` is its former name. */
export const HasPermission = z
  .object({ organizationId: OrganizationId, permissions: Wanted.optional(), permission: Wanted.optional() })
  .refine(({ permissions, permission }) => (permissions === undefined) !== (permission === undefined), {
    path: ['permissions'],
    message: 'Send permissions.',
  })
  .transform(({ organizationId, permissions, permission }) => ({
    organizationId,
    wanted: permissions ?? permission ?? {},
  }))

const RoleText = z
  .string()
  .transform((name) => name.toLowerCase())
  .pipe(RoleName)

export const CreateRole = z.object({
  organizationId: OrganizationId,
  role: RoleText,
  permission: Permissions,
})
export type CreateRole = z.output<typeof CreateRole>

const OneRole = { roleName: z.string().min(1).max(64).optional(), roleId: Id.optional() }

export const RoleOf = z.object({ organizationId: OrganizationId, ...OneRole })
export type RoleOf = z.output<typeof RoleOf>

export const UpdateRole = z.object({
  organizationId: OrganizationId,
  ...OneRole,
  data: z.object({ permission: Permissions.optional(), roleName: RoleText.optional() }),
})
export type UpdateRole = z.output<typeof UpdateRole>

export const CreateTeam = z.object({ name: GroupName, organizationId: OrganizationId })
export type CreateTeam = z.output<typeof CreateTeam>

export const OneTeam = z.object({ teamId: Id, organizationId: OrganizationId })
export type OneTeam = z.output<typeof OneTeam>

export const UpdateTeam = z.object({
  teamId: Id,
  data: z.object({ name: GroupName.optional(), organizationId: OrganizationId }),
})
export type UpdateTeam = z.output<typeof UpdateTeam>

export const SetActiveTeam = z.object({ teamId: Id.nullish() })
export const ListUserTeams = z.object({ userId: Id.optional(), organizationId: Id.optional() })
export type ListUserTeams = z.output<typeof ListUserTeams>
export const ListTeamMembers = z.object({ teamId: Id.optional(), limit: Limit, offset: Offset })
export type ListTeamMembers = z.output<typeof ListTeamMembers>
export const TeamMember = z.object({ teamId: Id, userId: Id, organizationId: OrganizationId })
export type TeamMember = z.output<typeof TeamMember>

export const OneOrganizationsData = z.object({ organization_id: Id })
export const ChangeMembersData = z.object({ organization_id: Id, own: JsonObject })
