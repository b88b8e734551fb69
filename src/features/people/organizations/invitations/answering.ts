import type { Kysely } from 'kysely'
import type { Rows } from '../../../../database/decision.ts'
import type {
  MemberTable,
  OrganizationInvitationTable,
  OrganizationTable,
} from '../../../../database/schema/people/organizations.ts'
import type { UserTable } from '../../../../database/schema/people/users.ts'
import type { MetaTables } from '../../../../database/schema/tables.ts'
import type { Meta } from '../../../../database/store.ts'
import type { SignedInCall } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { newId } from '../../../../rules/ids.ts'
import { OWNER } from '../../../../rules/permissions.ts'
import { Refusal, signedOutMeanwhile } from '../../../../rules/refusal.ts'
import { unlinked } from '../../../../rules/unlinked.ts'
import type { Act, Refused } from '../../../ground/acts/acts.ts'
import { decideBySettings } from '../../../ground/settings/deciding.ts'
import type { Settings } from '../../../ground/settings/model.ts'
import {
  invitationById,
  invitationByLink,
  inviterMembers,
  inviterUsers,
  lockedInvitation,
} from '../../memberships/invitation-statements.ts'
import { suspendedOrganization } from '../../memberships/membership.ts'
import { ownRoles } from '../../memberships/permissions.ts'
import { ownRolesOf } from '../../memberships/role-statements.ts'
import * as memberships from '../../memberships/statements.ts'
import { insertTeamMember, teams } from '../../memberships/team-statements.ts'
import { proveAddress } from '../../sessions/proving.ts'
import { lockedSessionOf } from '../../sessions/sessions.ts'
import { activateOrganization, activateTeam } from '../../sessions/statements.ts'
import { lockedUser } from '../../users/statements.ts'
import { refuseCrowd } from '../creation.ts'
import { decideInside, require, rolesIn } from '../inside.ts'
import { wireMember } from '../wire.ts'
import { LINK, type OneInvitation } from './input.ts'
import { endInvitation } from './inviting.ts'
import { linkHash } from './letters.ts'
import { inviterOf, isSendable } from './standing.ts'
import { wireInvitation } from './wire.ts'

export function unknownInvitation(): Refusal {
  return new Refusal('INVITATION_NOT_FOUND', 'There is no such invitation, or it is no longer valid.')
}

export async function acceptInvitation(call: SignedInCall, sent: OneInvitation) {
  const { platform, caller } = call
  return decideAnswer(call, sent, async (act, { organization, invitation, user, held }) => {
    if (held.some(({ organization_id }) => organization_id === organization.id)) {
      throw new Refusal('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION', 'You are a member of this organisation.')
    }
    refuseCrowd(held)
    const accepted = endInvitation(act, platform, invitation, 'accepted', user)
    const { member, teamId } = await joinBy(act, platform, organization, invitation, user)
    if (caller.credential.kind === 'session') {
      const { id } = caller.credential
      act.write(activateOrganization(platform.meta, id, organization.id))
      if (teamId !== undefined) act.write(activateTeam(platform.meta, id, teamId))
    }
    return { invitation: wireInvitation(accepted), member: wireMember(member) }
  })
}

export async function rejectInvitation(call: SignedInCall, sent: OneInvitation) {
  return decideAnswer(call, sent, async (act, { invitation, user }) => {
    const rejected = endInvitation(act, call.platform, invitation, 'rejected', user)
    return { invitation: wireInvitation(rejected), member: null }
  })
}

interface Answered {
  readonly organization: OrganizationTable
  readonly invitation: OrganizationInvitationTable
  readonly user: UserTable
  /** The memberships that the user has. */
  readonly held: readonly MemberTable[]
}

/** A decision of the user whom an invitation is for. By its link it proves the user's address; by its id it needs one. */
async function decideAnswer<T>(
  call: SignedInCall,
  sent: OneInvitation,
  work: (act: Act, answered: Answered) => Promise<T | Refused>,
): Promise<T> {
  const { platform, caller } = call
  const { meta } = platform
  const isSession = caller.credential.kind === 'session'
  const { invitation: found, isProof } = await findForCaller(call, sent)
  const locks = [
    lockedUser(meta, caller.user.id),
    isSession ? lockedSessionOf(meta, caller) : undefined,
    memberships.membershipsOf(meta, caller.user.id),
  ] as const
  const first = [...locks, ...factsOfInvitation(meta, found)] as const
  return decideBySettings(call, first, async (act, settings, [user], sessions, held, ...rows) => {
    if (!user || (isSession && sessions.length === 0)) throw signedOutMeanwhile()
    const judged = judgeInvitation(platform, settings, rows)
    if (judged.invitation.email !== user.email) throw unknownInvitation()
    if (!isProof && user.email_verified !== 1) throw unverified()
    const proven = isProof ? proveAddress(act, platform, user) : user
    return work(act, { ...judged, user: proven, held })
  })
}

/** Neither an id that nobody has nor somebody else's says more than the other. */
async function findForCaller({ platform, caller }: SignedInCall, { invitationId }: OneInvitation) {
  const { meta } = platform
  const { user, credential, actor } = caller
  if (!LINK.test(invitationId)) {
    if (user.email_verified !== 1) throw unverified()
    const [invitation] = await meta.primary.run(invitationById(meta.primary, invitationId))
    if (invitation?.email !== user.email) throw unknownInvitation()
    return { invitation, isProof: false }
  }
  const invitation = await invitationByLink(meta.primary, linkHash(platform, invitationId)).executeTakeFirst()
  if (!invitation) throw unknownInvitation()
  if (invitation.email !== user.email) {
    const words = 'This invitation is for another address. Sign in with the address that it was sent to.'
    throw new Refusal('YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION', words)
  }
  // A link that a token or an acting administrator brings does not show that the user reads the mail.
  const isProof = credential.kind === 'session' && !actor
  if (!isProof && user.email_verified !== 1) throw unverified()
  return { invitation, isProof }
}

function unverified(): Refusal {
  return new Refusal(
    'EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION',
    'Verify your address first, or use the link in the letter.',
  )
}

type Found = Pick<OrganizationInvitationTable, 'id' | 'organization_id'>

/** For a decision: the organisation and the invitation are locked. */
export function factsOfInvitation(meta: Meta, { id, organization_id }: Found) {
  const locked = [memberships.lockedOrganization(meta, organization_id), lockedInvitation(meta, id)] as const
  return [...locked, ...dependingFacts(meta, { id, organization_id })] as const
}

/** The same for reading: what is found can have changed by the next moment. */
export function seenFactsOfInvitation({ primary }: Meta, { id, organization_id }: Found) {
  const organization = memberships.organizations(primary).selectAll().where('id', '=', organization_id)
  return [organization, invitationById(primary, id), ...dependingFacts(primary, { id, organization_id })] as const
}

function dependingFacts(db: Kysely<MetaTables>, { id, organization_id }: Found) {
  return [ownRolesOf(db, organization_id), inviterUsers(db, { id }), inviterMembers(db, { id })] as const
}

/** The invitation as it is at this moment, unless nobody can answer it any more. */
export function judgeInvitation(
  { now }: Platform,
  settings: Settings,
  [[organization], [invitation], roles, users, inviters]: Rows<ReturnType<typeof factsOfInvitation>>,
) {
  if (!organization || !invitation) throw unknownInvitation()
  if (invitation.status !== 'pending' || invitation.expires_at <= now()) throw unknownInvitation()
  const rules = { product: settings.organizations, own: ownRoles(roles) }
  const inviter = inviterOf(invitation, users, inviters)
  if (!isSendable(rules, invitation, inviter)) throw unknownInvitation()
  if (organization.suspended_at !== null) throw suspendedOrganization()
  return { organization, invitation, inviter: inviter.user ?? null }
}

/** The user becomes a member of the organisation, and of the teams that still exist. */
export async function joinBy(
  act: Act,
  { meta, now }: Platform,
  organization: Pick<OrganizationTable, 'id' | 'name'>,
  { roles, team_ids }: OrganizationInvitationTable,
  user: { readonly id: string; readonly email: string },
) {
  const at = now()
  const organization_id = organization.id
  const member = {
    ...{ id: newId(), organization_id, user_id: user.id, roles },
    ...{ created_at: at, last_active_at: at },
  }
  const [first = '', ...further] = team_ids.split(',')
  const chosen = first === '' ? [] : await act.read([teamsAmong(meta, organization_id, [first, ...further])])
  const joined = (chosen[0] ?? []).map(({ id }) => id)
  act.write(
    ...memberships.addMember(meta, member),
    ...joined.map((team_id) =>
      insertTeamMember(meta, { id: newId(), team_id, user_id: user.id, organization_id, created_at: at }),
    ),
  )
  recordJoining(act, organization, member, user)
  return { member, teamId: joined.length === 1 ? joined[0] : undefined }
}

/** With the organisation locked, none of them is deleted. */
function teamsAmong(meta: Meta, organizationId: string, ids: readonly [string, ...string[]]) {
  return teams(meta)
    .select('team.id')
    .where('organization_id', '=', organizationId)
    .where('team.id', 'in', [...ids])
}

export function recordJoining(
  act: Act,
  { name }: Pick<OrganizationTable, 'name'>,
  member: MemberTable,
  user: { readonly id: string; readonly email: string },
): void {
  const roles = rolesIn(member)
  act.record('member.add', {
    ...{ organizationId: member.organization_id, user, subject: { type: 'user', id: user.id } },
    letter: roles.includes(OWNER) ? 'ownership gained' : undefined,
    name: unlinked(name),
    details: { roles },
    data: { id: member.id, roles },
  })
}

export async function cancelInvitation(call: SignedInCall, { invitationId }: OneInvitation) {
  const { meta } = call.platform
  const [found] = await meta.primary.run(invitationById(meta.primary, invitationId))
  const [member] = found
    ? await meta.primary.run(memberships.memberOf(meta.primary, found.organization_id, call.caller.user.id))
    : []
  if (!found || !member) throw unknownInvitation()
  const about = { organizationId: found.organization_id }
  return decideInside(call, about, [lockedInvitation(meta, found.id)], async (act, inside, [invitation]) => {
    require(inside, 'invitation:cancel', 'YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION', 'Canceling needs invitation:cancel.')
    if (invitation?.status !== 'pending') throw unknownInvitation()
    return wireInvitation(endInvitation(act, call.platform, invitation, 'canceled'))
  })
}
