import type { OrganizationInvitationTable } from '../../../../database/schema/people/organizations.ts'
import type { SignedInCall } from '../../../../http/route.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { settingsOf } from '../../../ground/settings/current-settings.ts'
import {
  invitationById,
  invitations,
  invitationsTo,
  inviterMembers,
  inviterUsers,
} from '../../memberships/invitation-statements.ts'
import { ownRoles } from '../../memberships/permissions.ts'
import { ownRolesOf, rolesOfOrganizations } from '../../memberships/role-statements.ts'
import { organizations } from '../../memberships/statements.ts'
import { getInside, type Inside, type Named, require } from '../inside.ts'
import { unknownInvitation } from './answering.ts'
import { inviterOf, isSendable } from './standing.ts'
import { wireInvitation } from './wire.ts'

/** More than can be pending. */
const SHOWN_AT_MOST = 1_000
const OWN_AT_MOST = 100

export async function listInvitations(call: SignedInCall, named: Named) {
  const inside = await getInside(call, named)
  require(inside, 'invitation:create', 'YOU_ARE_NOT_ALLOWED_TO_LIST_INVITATIONS', 'Seeing invitations needs invitation:create.')
  return invitationsIn(call, inside)
}

/** The newest first, and none to members who could not send them. */
export async function invitationsIn(call: SignedInCall, { organization, permissions }: Inside) {
  if (!permissions.has('invitation:create')) return []
  const { meta, now } = call.platform
  const pending = { organizationId: organization.id, now: now() }
  const [rows, users, members, roles] = await meta.snapshot(
    [
      invitations(meta)
        .selectAll()
        .where('organization_id', '=', organization.id)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(SHOWN_AT_MOST),
      inviterUsers(meta, pending),
      inviterMembers(meta, pending),
      ownRolesOf(meta, organization.id),
    ],
    'primary',
  )
  const rules = { product: (await settingsOf(call)).organizations, own: ownRoles(roles) }
  const asOfNow = (row: OrganizationInvitationTable) => {
    const isCanceled =
      row.status === 'pending' &&
      row.expires_at > pending.now &&
      !isSendable(rules, row, inviterOf(row, users, members))
    return isCanceled ? ({ ...row, status: 'canceled' } as const) : row
  }
  return rows.map((row) => wireInvitation(asOfNow(row)))
}

/** What waits for the caller's answer. */
export async function listOwnInvitations(call: SignedInCall) {
  const { platform, caller } = call
  const { meta } = platform
  if (caller.user.email_verified !== 1) throw unverified()
  const of = { email: caller.user.email, now: platform.now() }
  const pending = () => invitationsTo(meta, of.email).where('status', '=', 'pending').where('expires_at', '>', of.now)
  const [rows, named, users, members, roles] = await meta.snapshot(
    [
      pending().selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc').limit(OWN_AT_MOST),
      organizations(meta)
        .select(['id', 'name'])
        .where('suspended_at', 'is', null)
        .where('id', 'in', pending().select('organization_id')),
      inviterUsers(meta, of),
      inviterMembers(meta, of),
      rolesOfOrganizations(meta, pending().select('organization_id')),
    ],
    'primary',
  )
  const product = (await settingsOf(call)).organizations
  return rows.flatMap((row) => {
    const organization = named.find(({ id }) => id === row.organization_id)
    const own = ownRoles(roles.filter(({ organization_id }) => organization_id === row.organization_id))
    if (!organization || !isSendable({ product, own }, row, inviterOf(row, users, members))) return []
    return [{ ...wireInvitation(row), organizationName: organization.name }]
  })
}

export async function getInvitation(call: SignedInCall, { id }: { readonly id: string }) {
  const { platform, caller } = call
  const { meta } = platform
  if (caller.user.email_verified !== 1) throw unverified()
  const [row] = await meta.primary.run(invitationById(meta.primary, id))
  if (row?.email !== caller.user.email) throw unknownInvitation()
  const [[organization], users, members, roles] = await meta.snapshot(
    [
      organizations(meta).selectAll().where('id', '=', row.organization_id),
      inviterUsers(meta, { id }),
      inviterMembers(meta, { id }),
      ownRolesOf(meta, row.organization_id),
    ],
    'primary',
  )
  const inviter = inviterOf(row, users, members)
  const rules = { product: (await settingsOf(call)).organizations, own: ownRoles(roles) }
  const isPending = row.status === 'pending' && row.expires_at > platform.now()
  if (!organization || !isPending || !isSendable(rules, row, inviter)) throw unknownInvitation()
  const { name: organizationName, slug: organizationSlug } = organization
  return { ...wireInvitation(row), organizationName, organizationSlug, inviterEmail: inviter.user?.email ?? '' }
}

function unverified(): Refusal {
  return new Refusal('EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION', 'Verify your address to see its invitations.')
}
