import { type Expression, sql } from 'kysely'
import type { OrganizationTable } from '../../../database/schema/people/organizations.ts'
import { lengthOf } from '../../../database/sql/page-with-total.ts'
import type { SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Slice } from '../../../rules/paging.ts'
import { permissionsIn as permissionsOfStatements } from '../../../rules/permissions.ts'
import * as memberships from '../memberships/statements.ts'
import { teams } from '../memberships/team-statements.ts'
import { foundBy } from '../users/searching.ts'
import { userWith } from '../users/statements.ts'
import type { ListMembers } from './input.ts'
import { findInside, getInside, type Named } from './inside.ts'
import { invitationsIn } from './invitations/reading.ts'
import { unknownMember } from './members.ts'
import { wireOrganization, wireTeam, withUsers } from './wire.ts'

/** The only call that also shows suspended ones. */
export async function listOrganizations({ platform: { meta }, caller }: SignedInCall) {
  const rows = await memberships.organizationsOf(meta.primary, caller.user.id).execute()
  return rows.map((row) => ({ ...wireOrganization(row), role: row.roles, suspended: row.suspended_at !== null }))
}

export async function getOrganization(call: SignedInCall, named: Named) {
  const inside = await findInside(call, named)
  return inside ? wireOrganization(inside.organization) : null
}

export async function getFullOrganization(call: SignedInCall, named: Named & { readonly membersLimit: number }) {
  const { platform } = call
  const { meta } = platform
  const inside = await findInside(call, named)
  if (!inside) return null
  const { id } = inside.organization
  const [members, ofOrganization] = await meta.snapshot(
    [oldestMembers(call, id, named.membersLimit), teams(meta).selectAll().where('organization_id', '=', id)],
    'primary',
  )
  return {
    ...wireOrganization(inside.organization),
    members: await withUsers(platform, members),
    invitations: await invitationsIn(call, inside),
    teams: ofOrganization.map(wireTeam),
  }
}

function oldestMembers({ platform: { meta } }: SignedInCall, organizationId: string, limit: number) {
  return memberships
    .members(meta)
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
}

export async function listMembers(call: SignedInCall, sent: ListMembers) {
  const { organization } = await getInside(call, sent)
  const { filterField, filterValue = '', sortDirection } = sent
  const { rows, total } = await membersOf(call.platform, organization, {
    ...sent,
    direction: sortDirection,
    userId: filterField === 'userId' ? filterValue : undefined,
    role: filterField === 'role' ? filterValue : undefined,
  })
  return { members: await withUsers(call.platform, rows), total }
}

interface Wished extends Slice {
  readonly search: string
  readonly direction: 'asc' | 'desc'
  readonly userId?: string | undefined
  readonly role?: string | undefined
}

/** One page, and how many there are. Without a condition the organisation knows their number. */
export async function membersOf(
  { meta }: Pick<Platform, 'meta'>,
  { id: organizationId, members: about }: Pick<OrganizationTable, 'id' | 'members'>,
  { search, direction, userId, role, offset, limit }: Wished,
) {
  const found = await foundBy(meta, search)
  const isWhole = found.conditions.length === 0 && userId === undefined && role === undefined
  const candidates =
    found.ids !== undefined
      ? memberships.membershipsAmong(meta, found.ids)
      : role === undefined
        ? memberships.members(meta).selectAll()
        : memberships.membersHolding(meta, organizationId, role)
  const matching = meta
    .selectFrom(candidates.as('member'))
    .where('member.organization_id', '=', organizationId)
    .$if(userId !== undefined, (query) => query.where('member.user_id', '=', userId ?? ''))
    .$if(role !== undefined && found.ids !== undefined, (query) =>
      query.where((eb) => {
        const holder = memberships.holdersOf(meta, organizationId, role ?? '').select('member_role.member_id')
        return eb.exists(holder.where('member_role.user_id', '=', eb.ref('member.user_id')))
      }),
    )
    .$if(found.ids === undefined && found.conditions.length > 0, (query) =>
      query.where((eb) => eb.exists(userWith(meta, eb.ref('member.user_id'), found.conditions))),
    )
  const all = memberships.organizations(meta).select('members as total').where('id', '=', organizationId)
  const isFromEnd = isWhole && 2 * offset > about
  const slice = isFromEnd ? fromEnd({ offset, limit }, all) : { offset, limit }
  const inOrder = isFromEnd === (direction === 'asc') ? 'desc' : 'asc'
  // The index has the ids in their order, so no row before the page is read.
  const ids = matching
    .select('member.id')
    .orderBy('member.created_at', inOrder)
    .orderBy('member.id', inOrder)
    .offset(slice.offset)
    .limit(slice.limit)
  const page = memberships
    .members(meta)
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('created_at', direction)
    .orderBy('id', direction)
  const counted = matching.select((eb) => eb.fn.countAll<number>().as('total'))
  const length = isWhole ? lengthOf({ offset }) : 'long'
  const [rows, [total]] = await meta.snapshot([page, isWhole ? all : counted] as const, 'primary', length)
  return { rows, total: Number(total?.total ?? 0) }
}

/** The same rows, counted from the last one. */
function fromEnd({ offset, limit }: Slice, total: Expression<{ readonly total: number }>) {
  const left = sql<number>`(${total} - ${offset})`
  return {
    offset: sql<number>`case when ${left} > ${limit} then ${left} - ${limit} else 0 end`,
    limit: sql<number>`case when ${left} > ${limit} then ${limit} when ${left} > 0 then ${left} else 0 end`,
  }
}

export async function getActiveMember(call: SignedInCall) {
  const { member } = await getInside(call, {})
  const [shown] = await withUsers(call.platform, [member])
  if (!shown) throw unknownMember()
  return shown
}

export async function getMemberRole(call: SignedInCall, named: Named & { readonly userId?: string | undefined }) {
  const { organization, member } = await getInside(call, named)
  if (named.userId === undefined) return { role: member.roles }
  const { meta } = call.platform
  const [other] = await meta.primary.run(memberships.memberOf(meta, organization.id, named.userId))
  if (!other) throw unknownMember()
  return { role: other.roles }
}

interface Wanted extends Named {
  readonly wanted: Readonly<Record<string, readonly string[]>>
}

/** Nothing wanted is nothing allowed, as with Better Auth. */
export async function hasPermission(call: SignedInCall, { wanted, ...named }: Wanted) {
  const { permissions } = await getInside(call, named)
  const asked = permissionsOfStatements(wanted)
  const isEmpty = Object.values(wanted).some((actions) => actions.length === 0)
  const success = asked.length > 0 && !isEmpty && asked.every((permission) => permissions.has(permission))
  return { error: null, success }
}
