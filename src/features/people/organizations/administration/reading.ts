import { rowCount } from '../../../../database/row-counts.ts'
import type { OrganizationTable } from '../../../../database/schema/people/organizations.ts'
import { foundIn } from '../../../../database/searching.ts'
import { lengthOf, pageWithTotal } from '../../../../database/sql/page-with-total.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { sliceOf } from '../../../../rules/paging.ts'
import { pendingInvitations } from '../../memberships/invitation-statements.ts'
import { ORGANIZATION_SEARCH, organizations } from '../../memberships/statements.ts'
import { rolesIn } from '../inside.ts'
import { membersOf } from '../reading.ts'
import { withUsers } from '../wire.ts'
import { unknownOrganization } from './deciding.ts'
import type { ListOrganizationMembers, ListOrganizations } from './input.ts'

/** The newest first. Without a search the counters know how many there are. */
export async function listOrganizationsFor(
  { meta }: Pick<Platform, 'meta'>,
  { search, status, ...listed }: ListOrganizations,
) {
  const { conditions } = await foundIn(meta, ORGANIZATION_SEARCH, search)
  const slice = sliceOf(listed)
  const matching = organizations(meta)
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'active'))
    .where((eb) => eb.and(conditions))
  const page = matching
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(slice.offset)
    .limit(slice.limit)
  const counted = matching.select((eb) => eb.fn.countAll<number>().as('total'))
  const total = conditions.length > 0 ? counted : rowCount(meta, 'organization', status)
  const length = conditions.length > 0 ? 'long' : lengthOf(slice)
  const list = await pageWithTotal(meta, total, page, length)
  return { ...list, items: list.items.map(itemOf) }
}

function itemOf({ id, slug, name, created_at, status, members, seats }: OrganizationTable) {
  return { id, slug, name, created_at, status, members, seats }
}

export async function getOrganizationFor({ meta, now }: Platform, id: string) {
  const pending = pendingInvitations(meta, id, now()).select((eb) => eb.fn.countAll<number>().as('total'))
  const [[row], [counted]] = await meta.snapshot([organizations(meta).selectAll().where('id', '=', id), pending])
  if (!row) throw unknownOrganization()
  const { logo, updated_at, owners, suspended_at, suspension_reason } = row
  const pending_invitations = Number(counted?.total ?? 0)
  return { ...itemOf(row), logo, updated_at, owners, pending_invitations, suspended_at, suspension_reason }
}

/** The oldest first. */
export async function listMembersFor(
  platform: Platform,
  { organization_id: id, search, role, ...listed }: ListOrganizationMembers,
) {
  const { meta } = platform
  const organization = await organizations(meta.primary)
    .select(['id', 'members'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!organization) throw unknownOrganization()
  const { rows, total } = await membersOf(platform, organization, {
    ...{ ...sliceOf(listed), search, role, direction: 'asc' },
  })
  const items = (await withUsers(platform, rows)).map(({ user, role: roles, createdAt }) => ({
    ...{ user_id: user.id, email: user.email, name: user.name, image: user.image },
    ...{ roles: [...rolesIn({ roles })], created_at: Date.parse(createdAt) },
  }))
  return { items, total }
}
