import { z } from 'zod'
import { Email } from '../../../../rules/email.ts'
import { Id } from '../../../../rules/ids.ts'
import { InOrganization, OrganizationId, Roles } from '../input.ts'

const MOST_TEAMS = 20

export const Invite = z.object({
  email: Email,
  role: Roles,
  organizationId: OrganizationId,
  resend: z.boolean().default(false),
  teamId: z
    .union([Id, z.array(Id).max(MOST_TEAMS)])
    .nullish()
    .transform((sent) => [...new Set([sent ?? []].flat())]),
})
export type Invite = z.output<typeof Invite>

export const LINK = /^ghl_[\w-]{43}$/

/** Its id, or the secret of a letter's link. */
export const OneInvitation = z.object({ invitationId: Id })
export type OneInvitation = z.output<typeof OneInvitation>

export const InvitationId = z.object({ id: Id })
export const ListInvitations = InOrganization
/** The address is the caller's own, and no other can be named. */
export const ListOwn = z.object({ email: z.literal('', 'Only your own invitations are listed.').optional() })
