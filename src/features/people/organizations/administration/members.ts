import type { SignedInCall } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { newId } from '../../../../rules/ids.ts'
import { OWNER } from '../../../../rules/permissions.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import * as memberships from '../../memberships/statements.ts'
import { findUser } from '../../users/statements.ts'
import { refuseCrowd } from '../creation.ts'
import { refuseUnknownRoles } from '../giving.ts'
import { rolesIn } from '../inside.ts'
import { recordJoining } from '../invitations/answering.ts'
import { facts, invite, takeSeat } from '../invitations/inviting.ts'
import { countInvitationLetter } from '../invitations/letters.ts'
import { inviterOf, isSendable } from '../invitations/standing.ts'
import { endMembership, giveRoles, refuseLastOwner, unknownMember } from '../members.ts'
import { decideAbout, decideAboutMember } from './deciding.ts'
import type { InviteMember, MemberOf, MemberWithRoles } from './input.ts'

/** Giving or taking the ownership needs a fresh session. */
export async function changesOwnership(
  { platform: { meta } }: { readonly platform: Pick<Platform, 'meta'> },
  { organization_id, user_id, ...sent }: MemberOf & Partial<MemberWithRoles>,
): Promise<boolean> {
  if (sent.roles?.includes(OWNER)) return true
  const [member] = await meta.primary.run(memberships.memberOf(meta.primary, organization_id, user_id))
  return member !== undefined && rolesIn(member).includes(OWNER)
}

/** The user need not be asked. An invitation that waits for them ends. */
export async function addMember(call: SignedInCall, { organization_id: id, user_id: userId, roles }: MemberWithRoles) {
  const { platform } = call
  const { meta, now } = platform
  // An address can change before the lock; then its invitation stays, and is refused to a member.
  const email = (await findUser(meta, userId))?.email ?? ''
  const first = [memberships.membershipsOf(meta, userId), ...facts(platform, id, { email, teamId: [] })] as const
  await decideAboutMember(call, { id, userId }, first, async (act, chosen, user, held, pending, users, inviters) => {
    refuseUnknownRoles(chosen, roles)
    if (held.some(({ organization_id }) => organization_id === id)) {
      throw new Refusal('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION', 'The user is a member already.')
    }
    refuseCrowd(held)
    const sendable = pending.filter((row) => isSendable(chosen, row, inviterOf(row, users, inviters)))
    takeSeat(act, platform, chosen, { pending, sendable, email: user.email })
    const member = {
      ...{ id: newId(), organization_id: id, user_id: userId, roles: roles.join(',') },
      ...{ created_at: now(), last_active_at: 0 },
    }
    act.write(...memberships.addMember(meta, member))
    recordJoining(act, chosen.organization, member, user)
  })
}

export async function updateMember(
  call: SignedInCall,
  { organization_id: id, user_id: userId, roles }: MemberWithRoles,
) {
  const { platform } = call
  const first = [memberships.memberOf(platform.meta, id, userId)] as const
  await decideAboutMember(call, { id, userId }, first, async (act, chosen, user, [member]) => {
    if (!member) throw unknownMember()
    const before = rolesIn(member)
    refuseUnknownRoles(
      chosen,
      roles.filter((role) => !before.includes(role)),
    )
    if (!roles.includes(OWNER)) refuseLastOwner(chosen.organization, member, user, 'LAST_OWNER')
    giveRoles(act, platform, chosen.organization, member, user, roles)
  })
}

export async function removeMember(call: SignedInCall, { organization_id: id, user_id: userId }: MemberOf) {
  const first = [memberships.memberOf(call.platform.meta, id, userId)] as const
  await decideAboutMember(call, { id, userId }, first, async (act, { organization }, user, [member]) => {
    if (!member) throw unknownMember()
    refuseLastOwner(organization, member, user, 'LAST_OWNER')
    endMembership(act, call, organization, member, user)
  })
}

export async function inviteMemberFor(call: SignedInCall, { organization_id: id, email, roles, resend }: InviteMember) {
  const { platform, caller } = call
  const isSent = await countInvitationLetter(call, id, email)
  const sent = { email, role: roles, resend, teamId: [] }
  const { id: invitation } = await decideAbout(call, id, facts(platform, id, sent), (act, chosen, ...rows) => {
    const judge = (given: readonly string[]) => refuseUnknownRoles(chosen, given)
    return invite(act, platform, { ...chosen, judge, inviter: caller.user, isSent }, sent, rows)
  })
  return { id: invitation }
}
