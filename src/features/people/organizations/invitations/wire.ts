import { z } from 'zod'
import type { OrganizationInvitationTable } from '../../../../database/schema/people/organizations.ts'
import { iso } from '../../../../rules/time.ts'

const Time = z.iso.datetime()

export const WireInvitation = z.object({
  id: z.string(),
  organizationId: z.string(),
  email: z.string(),
  role: z.string(),
  status: z.enum(['pending', 'accepted', 'rejected', 'canceled']),
  inviterId: z.string(),
  /** Joined by commas; null without teams. */
  teamId: z.string().nullable(),
  expiresAt: Time,
  createdAt: Time,
})

export function wireInvitation(row: OrganizationInvitationTable) {
  return {
    ...{ id: row.id, organizationId: row.organization_id, email: row.email, role: row.roles, status: row.status },
    ...{ inviterId: row.inviter_id, teamId: row.team_ids || null },
    ...{ expiresAt: iso(row.expires_at), createdAt: iso(row.created_at) },
  }
}
