import type { Compilable, Kysely } from 'kysely'
import { statement } from '../../../database/prepared.ts'
import type { OrganizationInvitationTable } from '../../../database/schema/people/organizations.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import { sweepRows } from '../../../database/sql/sweep-rows.ts'
import type { Meta } from '../../../database/store.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import { forgetAddressIn } from '../../ground/events/statements.ts'
import { usersToRestrict } from '../users/statements.ts'
import { members } from './statements.ts'

/** How long one lasts after it was last sent. */
export const INVITATION_MILLISECONDS = 7 * DAY_MILLISECONDS

// Invitations. Whatever makes, prolongs or ends one locks the organisation's row, but for what deletes their user.

export function invitations(db: Kysely<MetaTables>) {
  return db.selectFrom('organization_invitation')
}

/** With the organisation locked, no further one is made. */
export function pendingInvitations(db: Kysely<MetaTables>, organizationId: string, now: number) {
  return invitations(db)
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
}

export const invitationById = statement((db: Kysely<MetaTables>, id: string) =>
  invitations(db).selectAll().where('id', '=', id),
)

/** Locked, because the deletion of a user ends invitations without their organisations' locks. */
export const lockedInvitation = statement((meta: Meta, id: string) =>
  invitations(meta).selectAll().where('id', '=', id).$call(lockRows(meta)),
)

export function invitationByLink(db: Kysely<MetaTables>, linkHash: string) {
  const linked = db.selectFrom('organization_invitation_link').select('invitation_id').where('link_hash', '=', linkHash)
  return invitations(db).selectAll().where('id', '=', linked)
}

/** Those to one address, whatever has become of them. */
export function invitationsTo(db: Kysely<MetaTables>, email: string) {
  return invitations(db).where('email', '=', email)
}

/** What shows whether the inviters could still send their invitations. */
export type InviterRow = ReturnType<typeof inviterUsers> extends Compilable<infer Row> ? Row : never

export const inviterUsers = statement((db: Kysely<MetaTables>, of: Which) =>
  usersToRestrict(db)
    .select(['user.name', 'user.suspended_at'])
    .where('user.id', 'in', whichInvitations(db, of).select('inviter_id')),
)

/** The inviters who are members of the same organisation. */
export const inviterMembers = statement((db: Kysely<MetaTables>, of: Which) =>
  members(db)
    .select(['member.user_id', 'member.organization_id', 'member.roles'])
    .where((eb) =>
      eb(
        eb.refTuple('member.user_id', 'member.organization_id'),
        'in',
        whichInvitations(db, of).select(['inviter_id', 'organization_id']).$asTuple('inviter_id', 'organization_id'),
      ),
    ),
)

/** One invitation, those that are pending in an organisation, or those that are pending for an address. */
export type Which =
  | { readonly id: string }
  | { readonly organizationId: string; readonly now: number }
  | { readonly email: string; readonly now: number }

function whichInvitations(db: Kysely<MetaTables>, of: Which) {
  if ('id' in of) return invitations(db).where('id', '=', of.id)
  if ('organizationId' in of) return pendingInvitations(db, of.organizationId, of.now)
  return invitationsTo(db, of.email).where('status', '=', 'pending').where('expires_at', '>', of.now)
}

export function insertInvitation(meta: Meta, row: OrganizationInvitationTable) {
  return meta.insertInto('organization_invitation').values(row)
}

/** Earlier letters' links stay good. */
export function insertLink(meta: Meta, linkHash: string, invitationId: string) {
  return meta.insertInto('organization_invitation_link').values({ link_hash: linkHash, invitation_id: invitationId })
}

export const updateInvitation = statement((meta: Meta, id: string, changes: Partial<OrganizationInvitationTable>) =>
  meta.updateTable('organization_invitation').set(changes).where('id', '=', id),
)

/**
 * Forgets what was sent to the address of a user who is being deleted, and ends what the user has sent. Invitations to
 * an unproven address stay: a stranger can have signed up with it, and its owner may still accept them.
 */
export function forgetInvitationsOf(
  meta: Meta,
  { id, email, email_verified }: Pick<UserTable, 'id' | 'email' | 'email_verified'>,
  now: number,
) {
  const sentToThem = [
    forgetAddressIn(meta, invitationsTo(meta, email).select('organization_id'), email),
    meta.deleteFrom('organization_invitation').where('email', '=', email),
  ]
  return [
    ...(email_verified === 1 ? sentToThem : []),
    meta
      .updateTable('organization_invitation')
      .set({ status: 'canceled', ended_at: now })
      .where('inviter_id', '=', id)
      .where('status', '=', 'pending'),
  ] as const
}

/** Those that ended or expired before that time. None ends longer than its lifetime before it expires. */
export function deleteOldInvitations(meta: Meta, before: number): Promise<void> {
  return sweepRows(meta, 'organization_invitation', 'id', (row) =>
    row.and([
      row('expires_at', '<', before + INVITATION_MILLISECONDS),
      row.or([row('expires_at', '<', before), row('ended_at', '<', before)]),
    ]),
  )
}
