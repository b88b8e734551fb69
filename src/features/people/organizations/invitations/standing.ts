import type { OrganizationInvitationTable } from '../../../../database/schema/people/organizations.ts'
import { permissionsOf } from '../../../../rules/permissions.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { holds } from '../../../../rules/staff.ts'
import type { InviterRow } from '../../memberships/invitation-statements.ts'
import { type Rules, refuseRoles, refuseUnknownRoles } from '../giving.ts'
import { rolesIn } from '../inside.ts'

/** The scope of those who invite to any organisation and to any role. */
const INVITES_EVERYWHERE = 'admin:organizations:write'

export interface Inviter {
  readonly user: InviterRow | undefined
  /** Undefined unless they are a member. */
  readonly member: { readonly roles: string } | undefined
}

type Row = Pick<OrganizationInvitationTable, 'roles' | 'inviter_id' | 'organization_id'>

/** Those of one invitation, from the rows that the queries about inviters return. */
export function inviterOf(
  { inviter_id, organization_id }: Row,
  users: readonly InviterRow[],
  members: readonly { readonly user_id: string; readonly organization_id: string; readonly roles: string }[],
): Inviter {
  return {
    user: users.find(({ id }) => id === inviter_id),
    member: members.find((row) => row.user_id === inviter_id && row.organization_id === organization_id),
  }
}

/** An invitation that its inviter could not send now is as if canceled. */
export function isSendable(rules: Rules, invitation: Row, { user, member }: Inviter): boolean {
  if (!user || user.suspended_at !== null) return false
  const roles = rolesIn(invitation)
  try {
    if (invitesEverywhere(user)) refuseUnknownRoles(rules, roles)
    else if (member && user.email_verified === 1) refuseInviting(rules, rolesIn(member), roles)
    else return false
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

function invitesEverywhere(user: InviterRow): boolean {
  return (user.role === 'administrator' || user.staff_scopes !== null) && holds(user, INVITES_EVERYWHERE)
}

/** Judges what a member with these roles gives by inviting. */
export function refuseInviting(rules: Rules, held: readonly string[], roles: readonly string[]): void {
  if (!permissionsOf(rules.product, rules.own, held).includes('invitation:create')) {
    throw new Refusal('YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION', 'Inviting needs invitation:create.')
  }
  refuseRoles(
    { ...rules, held },
    { before: [], after: roles, code: 'YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE' },
  )
}
