import type { MemberTable, OrganizationTable } from '../../../database/schema/people/organizations.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { OWNER } from '../../../rules/permissions.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { unlinked } from '../../../rules/unlinked.ts'
import { endGrantsIn } from '../../access/grants/statements.ts'
import type { Act } from '../../ground/acts/acts.ts'
import * as memberships from '../memberships/statements.ts'
import { leaveOrganizationIn } from '../sessions/statements.ts'
import { userByEmail } from '../users/statements.ts'
import { refuseRoles } from './giving.ts'
import type { RemoveMember, UpdateMemberRole } from './input.ts'
import { decideInside, idOf, require, rolesIn } from './inside.ts'
import { wireMember } from './wire.ts'

export function unknownMember(): Refusal {
  return new Refusal('MEMBER_NOT_FOUND', 'There is no such member.')
}

/** Nobody is told here whether an id or an address belongs to somebody outside. */
async function findMember({ platform: { meta } }: SignedInCall, organizationId: string, idOrEmail: string) {
  const user = idOrEmail.includes('@')
    ? userByEmail(meta.primary, idOrEmail.toLowerCase()).select('user.id')
    : undefined
  return memberships
    .members(meta.primary)
    .select(['user_id', 'roles'])
    .where('organization_id', '=', organizationId)
    .where((eb) => (user ? eb('user_id', '=', user) : eb('id', '=', idOrEmail)))
    .executeTakeFirst()
}

/** Giving or taking the ownership needs a fresh session. */
export async function takesOwnership(call: SignedInCall, sent: RemoveMember): Promise<boolean> {
  const found = await findMember(call, idOf(call.caller, sent), sent.memberIdOrEmail)
  return found !== undefined && rolesIn(found).includes(OWNER)
}

export async function changesOwnership(call: SignedInCall, sent: UpdateMemberRole): Promise<boolean> {
  const found = await findMember(call, idOf(call.caller, sent), sent.memberId)
  return found !== undefined && rolesIn(found).includes(OWNER) !== sent.role.includes(OWNER)
}

export async function removeMember(call: SignedInCall, sent: RemoveMember) {
  const { meta } = call.platform
  const organizationId = idOf(call.caller, sent)
  const userId = (await findMember(call, organizationId, sent.memberIdOrEmail))?.user_id
  const target = [memberships.memberOf(meta, organizationId, userId ?? '')] as const
  return decideInside(call, { organizationId, userId }, target, async (act, inside, [member]) => {
    require(inside, 'member:delete', 'YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER', 'Removing members needs member:delete.')
    const { other: user } = inside
    if (!member || !user) throw unknownMember()
    if (rolesIn(member).includes(OWNER) && !inside.held.includes(OWNER)) {
      throw new Refusal('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER', 'Only an owner removes an owner.')
    }
    refuseLastOwner(inside.organization, member, user, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    endMembership(act, call, inside.organization, member, user)
    return { member: wireMember(member) }
  })
}

export async function leaveOrganization(call: SignedInCall, { organizationId }: { readonly organizationId: string }) {
  return decideInside(call, { organizationId, even: 'suspended' }, [], async (act, { organization, member, other }) => {
    if (!other) throw unknownMember()
    refuseLastOwner(organization, member, other, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    endMembership(act, call, organization, member, other)
    return wireMember(member)
  })
}

type OwnerCode =
  | 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'
  | 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER'
  | 'LAST_OWNER'

/** With user and organisation locked, of two that go at the same moment the second finds itself alone. */
export function refuseLastOwner(
  { owners }: OrganizationTable,
  member: MemberTable,
  { suspended_at }: UserTable,
  code: OwnerCode,
): void {
  const counts = suspended_at === null && rolesIn(member).includes(OWNER)
  if (counts && owners <= 1) throw new Refusal(code, 'An organisation keeps an owner: make another member one first.')
}

/** Sessions and grants of the user act there no more; the user, organisation and member must be locked. */
export function endMembership(
  act: Act,
  { platform: { meta, now }, caller }: Pick<SignedInCall, 'platform' | 'caller'>,
  organization: Pick<OrganizationTable, 'name'>,
  member: MemberTable,
  user: UserTable,
): void {
  const { id, organization_id, user_id, roles } = member
  act.write(
    ...endGrantsIn(meta, organization_id, user_id, now()),
    ...memberships.removeMember(meta, member),
    leaveOrganizationIn(meta, user_id, organization_id),
  )
  act.record('member.remove', {
    ...{ organizationId: organization_id, user, subject: { type: 'user', id: user_id } },
    letter: caller.user.id === user_id ? undefined : 'removed from organisation',
    name: unlinked(organization.name),
    details: { roles: roles.split(',') },
    data: { id },
  })
}

export async function updateMemberRole(call: SignedInCall, sent: UpdateMemberRole) {
  const { meta } = call.platform
  const organizationId = idOf(call.caller, sent)
  const userId = (await findMember(call, organizationId, sent.memberId))?.user_id
  const target = [memberships.memberOf(meta, organizationId, userId ?? '')] as const
  return decideInside(call, { organizationId, userId }, target, async (act, inside, [member]) => {
    require(inside, 'member:update', 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER', 'Changing roles needs member:update.')
    const { other: user } = inside
    if (!member || !user) throw unknownMember()
    const [before, after] = [rolesIn(member), sent.role]
    refuseRoles(inside, { before, after, code: 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER' })
    if (!after.includes(OWNER))
      refuseLastOwner(inside.organization, member, user, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER')
    return wireMember(giveRoles(act, call.platform, inside.organization, member, user, after))
  })
}

/** The user, organisation and member must be locked, and the roles known. */
export function giveRoles(
  act: Act,
  { meta }: Pick<Platform, 'meta'>,
  organization: Pick<OrganizationTable, 'name'>,
  member: MemberTable,
  user: UserTable,
  roles: readonly string[],
): MemberTable {
  const before = rolesIn(member)
  const changed = { ...member, roles: roles.join(',') }
  act.write(...memberships.changeRoles(meta, changed))
  act.record('member.update', {
    ...{ organizationId: member.organization_id, user, subject: { type: 'user', id: user.id } },
    letter: ownershipLetter(before, roles),
    name: unlinked(organization.name),
    details: { from: before, to: roles },
    data: { id: member.id, roles },
  })
  return changed
}

/** The letter of somebody who becomes an owner, or is one no more. */
function ownershipLetter(before: readonly string[], after: readonly string[]) {
  const [was, is] = [before.includes(OWNER), after.includes(OWNER)]
  if (was === is) return undefined
  return is ? 'ownership gained' : 'ownership lost'
}
