import { z } from 'zod'
import type {
  MemberTable,
  OrganizationTable,
  TeamMemberTable,
  TeamTable,
} from '../../../database/schema/people/organizations.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Statements } from '../../../rules/permissions.ts'
import { iso } from '../../../rules/time.ts'
import { shownPicture } from '../../ground/provider-presets/presets.ts'
import { type ShownUser, shownUsers } from '../users/statements.ts'

const Time = z.iso.datetime()

export const WireOrganization = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  logo: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  createdAt: Time,
})

export function wireOrganization({ id, name, slug, logo, own, created_at }: OrganizationTable) {
  const metadata: z.output<typeof WireOrganization>['metadata'] = JSON.parse(own)
  return { id, name, slug, logo, metadata, createdAt: iso(created_at) }
}

export const WireMember = z.object({
  id: z.string(),
  organizationId: z.string(),
  userId: z.string(),
  role: z.string(),
  createdAt: Time,
})

export function wireMember({ id, organization_id, user_id, roles, created_at }: MemberTable) {
  return { id, organizationId: organization_id, userId: user_id, role: roles, createdAt: iso(created_at) }
}

export const WireMemberWithUser = WireMember.extend({
  user: z.object({ id: z.string(), name: z.string(), email: z.string(), image: z.string().nullable() }),
})

/** A member whose user is being deleted is left out. */
export async function withUsers({ meta, config }: Platform, rows: readonly MemberTable[]) {
  const users = await shownUsers(
    meta,
    rows.map(({ user_id }) => user_id),
  )
  return rows.flatMap((row) => {
    const user = users.get(row.user_id)
    return user ? [{ ...wireMember(row), user: wireUserOf(config, user) }] : []
  })
}

function wireUserOf(config: Platform['config'], { id, name, email, image }: ShownUser) {
  return { id, name, email, image: image === null ? null : shownPicture(config, image) }
}

export const WireTeam = z.object({
  id: z.string(),
  name: z.string(),
  organizationId: z.string(),
  createdAt: Time,
  updatedAt: Time,
})

export function wireTeam({ id, name, organization_id, created_at, updated_at }: TeamTable) {
  return { id, name, organizationId: organization_id, createdAt: iso(created_at), updatedAt: iso(updated_at) }
}

export const WireTeamMember = z.object({ id: z.string(), teamId: z.string(), userId: z.string(), createdAt: Time })

export function wireTeamMember({ id, team_id, user_id, created_at }: TeamMemberTable) {
  return { id, teamId: team_id, userId: user_id, createdAt: iso(created_at) }
}

/** Without an id it is built in, or a role of the settings. */
export const WireRole = z.object({
  id: z.string().nullable(),
  organizationId: z.string(),
  role: z.string(),
  permission: Statements,
  createdAt: Time,
  updatedAt: Time.nullable(),
})
