import type { Rows } from '../../../../database/decision.ts'
import type {
  OrganizationInvitationTable,
  OrganizationTable,
} from '../../../../database/schema/people/organizations.ts'
import type { SignedInCall } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { newId } from '../../../../rules/ids.ts'
import { OWNER } from '../../../../rules/permissions.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import type { Act } from '../../../ground/acts/acts.ts'
import type { Settings } from '../../../ground/settings/model.ts'
import {
  INVITATION_MILLISECONDS,
  insertInvitation,
  inviterMembers,
  inviterUsers,
  pendingInvitations,
  updateInvitation,
} from '../../memberships/invitation-statements.ts'
import { members } from '../../memberships/statements.ts'
import { teams } from '../../memberships/team-statements.ts'
import { userByEmail } from '../../users/statements.ts'
import type { Rules } from '../giving.ts'
import { decideInside, getInside, idOf, require, rolesIn } from '../inside.ts'
import { unknownTeam } from '../teams.ts'
import type { Invite } from './input.ts'
import { countInvitationLetter, invitationLetter } from './letters.ts'
import { inviterOf, isSendable, refuseInviting } from './standing.ts'
import { wireInvitation } from './wire.ts'

const MOST_PENDING = 500

/** Inviting an owner needs a fresh session; so does sending that invitation again. */
export async function invitesOwner(
  { meta, now }: Pick<Platform, 'meta' | 'now'>,
  organizationId: string,
  { email, role, resend }: Pick<Invite, 'email' | 'role' | 'resend'>,
): Promise<boolean> {
  if (role.includes(OWNER)) return true
  if (!resend) return false
  const pending = await pendingInvitations(meta.primary, organizationId, now())
    .select('roles')
    .where('email', '=', email)
    .execute()
  return pending.some((row) => rolesIn(row).includes(OWNER))
}

/** An invitation that is sent again keeps its roles, and is then its new sender's. */
export async function inviteMember(call: SignedInCall, sent: Invite) {
  const { platform, caller } = call
  const organizationId = idOf(caller, sent)
  const seen = await getInside(call, { organizationId })
  // Members who cannot invite must not use up the letters of those who can.
  require(seen, 'invitation:create', 'YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION', 'Inviting needs invitation:create.')
  if (caller.user.email_verified !== 1) throw unverifiedInviter()
  const isSent = await countInvitationLetter(call, organizationId, sent.email)
  return decideInside(call, { organizationId }, facts(platform, organizationId, sent), (act, inside, ...rows) => {
    const { organization, product, own, member } = inside
    const judge = (roles: readonly string[]) => refuseInviting(inside, rolesIn(member), roles)
    return invite(act, platform, { organization, product, own, judge, inviter: caller.user, isSent }, sent, rows)
  })
}

function unverifiedInviter(): Refusal {
  return new Refusal('EMAIL_NOT_VERIFIED', 'Verify your own address before you invite others.')
}

/** Read with the organisation locked. */
export function facts(
  { meta, now }: Platform,
  organizationId: string,
  { email, teamId }: Pick<Invite, 'email' | 'teamId'>,
) {
  const pending = { organizationId, now: now() }
  const addressee = userByEmail(meta, email).select('user.id')
  const [first, ...further] = teamId
  return [
    pendingInvitations(meta, organizationId, pending.now).selectAll(),
    inviterUsers(meta, pending),
    inviterMembers(meta, pending),
    members(meta).select('member.id').where('organization_id', '=', organizationId).where('user_id', '=', addressee),
    first === undefined
      ? undefined
      : teams(meta)
          .select('team.id')
          .where('organization_id', '=', organizationId)
          .where('team.id', 'in', [first, ...further]),
  ] as const
}

interface Inviting extends Rules {
  readonly organization: OrganizationTable
  readonly product: Settings['organizations']
  readonly inviter: { readonly id: string; readonly name: string; readonly email: string }
  /** Refuses roles that the inviter cannot give. */
  readonly judge: (roles: readonly string[]) => void
  readonly isSent: boolean
}

export async function invite(
  act: Act,
  platform: Platform,
  inviting: Inviting,
  sent: Pick<Invite, 'email' | 'role' | 'resend' | 'teamId'>,
  [pending, users, inviters, present, found]: Rows<ReturnType<typeof facts>>,
) {
  const { organization, judge, inviter } = inviting
  const { email, resend } = sent
  judge(sent.role)
  if (present.length > 0) {
    throw new Refusal(
      'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
      'Somebody with this address is a member already.',
    )
  }
  const sendable = pending.filter((row) => isSendable(inviting, row, inviterOf(row, users, inviters)))
  const already = sendable.find((row) => row.email === email)
  const expires_at = platform.now() + INVITATION_MILLISECONDS
  if (already) {
    if (!resend) {
      throw new Refusal(
        'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION',
        'This address is invited. Send it again with resend.',
      )
    }
    judge(rolesIn(already))
    const again = { ...already, inviter_id: inviter.id, expires_at }
    act.write(updateInvitation(platform.meta, again.id, { inviter_id: inviter.id, expires_at }))
    return sentInvitation(act, platform, inviting, again, 'invitation.resend')
  }
  if (found.length < sent.teamId.length) throw unknownTeam()
  takeSeat(act, platform, inviting, { pending, sendable, email })
  const row = {
    ...{ id: newId(), organization_id: organization.id, email, roles: sent.role.join(',') },
    ...{ team_ids: sent.teamId.join(','), inviter_id: inviter.id, status: 'pending' as const },
    ...{ created_at: platform.now(), expires_at, ended_at: null },
  }
  act.write(insertInvitation(platform.meta, row))
  return sentInvitation(act, platform, inviting, row, 'invitation.create')
}

interface Waiting {
  readonly pending: readonly OrganizationInvitationTable[]
  /** The pending ones that are not as if canceled. */
  readonly sendable: readonly OrganizationInvitationTable[]
  /** The address that is invited: this replaces its earlier invitations, so they take no seat. */
  readonly email: string
}

/**
 * A seat is free if neither a member nor an invitation has it. An invitation that is as if canceled has none; it ends
 * if it would be one too many once it is good again.
 */
export function takeSeat(
  act: Act,
  platform: Platform,
  { organization, product }: Pick<Inviting, 'organization' | 'product'>,
  { pending, sendable, email }: Waiting,
): void {
  const seats = organization.seats ?? product.seats
  const good = sendable.filter((row) => row.email !== email)
  refuseFull(organization, seats, good.length)
  const others = pending.filter((row) => row.email !== email)
  const room = Math.min(seats - organization.members, MOST_PENDING)
  const tooMany = Math.max(others.length + 1 - room, 0)
  const dead = others.filter((row) => !good.includes(row)).slice(0, tooMany)
  const replaced = pending.filter((row) => row.email === email)
  for (const row of [...replaced, ...dead]) endInvitation(act, platform, row, 'canceled')
}

function refuseFull({ members }: Pick<OrganizationTable, 'members'>, seats: number, pending: number): void {
  if (members + pending >= seats) {
    throw new Refusal('ORGANIZATION_MEMBERSHIP_LIMIT_REACHED', `All ${seats} seats of the organisation are taken.`)
  }
  if (pending >= MOST_PENDING) {
    throw new Refusal(
      'INVITATION_LIMIT_REACHED',
      `At most ${MOST_PENDING} invitations of an organisation can be pending.`,
    )
  }
}

function sentInvitation(
  act: Act,
  platform: Platform,
  { organization, inviter, isSent }: Inviting,
  row: OrganizationInvitationTable,
  name: 'invitation.create' | 'invitation.resend',
) {
  if (isSent) act.write(...invitationLetter(platform, row, organization, inviter))
  const about = { organizationId: organization.id, subject: { type: 'organization', id: organization.id } } as const
  const { id, email } = row
  const roles = rolesIn(row)
  act.record(name, { ...about, details: { roles }, data: { id, email, roles } })
  return wireInvitation(row)
}

type End = Exclude<OrganizationInvitationTable['status'], 'pending'>

const ENDS = {
  accepted: 'invitation.accept',
  rejected: 'invitation.reject',
  canceled: 'invitation.cancel',
} as const satisfies Record<End, string>

/** The invitation must be locked with its organisation. */
export function endInvitation(
  act: Act,
  { meta, now }: Platform,
  row: OrganizationInvitationTable,
  status: End,
  user?: { readonly id: string },
): OrganizationInvitationTable {
  const { id, organization_id: organizationId } = row
  const ended = { ...row, status, ended_at: now() }
  act.write(updateInvitation(meta, id, { status, ended_at: ended.ended_at }))
  const subject = { type: 'organization', id: organizationId } as const
  const by = user && { by: user, user }
  act.record(ENDS[status], { organizationId, subject, ...by, data: { id } })
  return ended
}
