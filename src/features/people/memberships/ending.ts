import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Platform } from '../../../platform/platform.ts'
import { OWNER } from '../../../rules/permissions.ts'
import { Refusal } from '../../../rules/refusal.ts'
import type { Act } from '../../ground/acts/acts.ts'
import { forgetInvitationsOf } from './invitation-statements.ts'
import {
  deleteOrganizationRow,
  lockedOrganizationsOf,
  membershipsOf,
  recountOwners,
  removeMember,
} from './statements.ts'

type Place = Pick<Platform, 'meta' | 'now'>

/**
 * Ends the memberships of a user who is being deleted, and is locked. Users cannot leave others without an owner, and
 * take with them what they alone are in; the administrator can.
 */
export async function endMembershipsOf(act: Act, { meta, now }: Place, user: UserTable, by: 'the user' | 'others') {
  const [organizations, members] = await act.read([lockedOrganizationsOf(meta, user.id), membershipsOf(meta, user.id)])
  const held = organizations.flatMap((organization) => {
    const member = members.find(({ organization_id }) => organization_id === organization.id)
    return member ? [{ organization, member, isOwner: member.roles.split(',').includes(OWNER) }] : []
  })
  const ownerless = held.filter(({ organization: { owners, members: all }, isOwner }) => {
    return isOwner && owners <= 1 && all > 1 && user.suspended_at === null
  })
  if (by === 'the user' && ownerless.length > 0) {
    const facts = { organizations: ownerless.map(({ organization: { id, name } }) => ({ id, name })) }
    throw new Refusal('LAST_OWNER', 'Make another member the owner first, or delete these organisations.', { facts })
  }
  act.write(...forgetInvitationsOf(meta, user, now()))
  for (const { organization, member } of held) {
    const { id: organizationId, name, slug } = organization
    const subject = { type: 'organization', id: organizationId } as const
    act.write(...removeMember(meta, member))
    if (by === 'the user' && organization.members === 1) {
      act.write(...deleteOrganizationRow(meta, organizationId, now()))
      act.record('organization.delete', {
        organizationId,
        subject,
        details: { name, slug },
        data: { id: organizationId },
      })
    } else
      act.record('member.remove', {
        organizationId,
        user,
        letter: undefined,
        subject,
        details: {},
        data: { id: member.id },
      })
  }
}

/** Follows the suspension of a user, who then counts as no owner, or its end. The user must be locked. */
export async function recountOwnersOf(act: Act, { meta }: Pick<Place, 'meta'>, userId: string): Promise<void> {
  const [organizations] = await act.read([lockedOrganizationsOf(meta, userId)])
  act.write(...organizations.map(({ id }) => recountOwners(meta, id)))
}
