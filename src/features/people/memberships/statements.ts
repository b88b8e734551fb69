import { type Expression, type Kysely, sql } from 'kysely'
import { statement } from '../../../database/prepared.ts'
import type { MemberRoleTable, MemberTable, OrganizationTable } from '../../../database/schema/people/organizations.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import type { SearchIndex } from '../../../database/searching.ts'
import { amongJson } from '../../../database/sql/conditions.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import { OWNER } from '../../../rules/permissions.ts'
import { provenAddress, unsuspended } from '../users/statements.ts'

// Organisations and their members. Whatever changes members locks first the users concerned, by id, then the
// organisation's row.

export const lockedOrganization = statement((meta: Meta, id: string) =>
  meta.selectFrom('organization').selectAll().where('id', '=', id).$call(lockRows(meta)),
)

/** The organisations with these members, locked in the order of their ids. The user must be locked. */
export const lockedOrganizationsOf = statement((meta: Meta, userId: string) =>
  meta
    .selectFrom('organization')
    .selectAll()
    .where('id', 'in', meta.selectFrom('member').select('organization_id').where('user_id', '=', userId))
    .orderBy('id')
    .$call(lockRows(meta)),
)

export const ORGANIZATION_SEARCH: SearchIndex = { of: 'organization', by: 'slug' }

export function organizations(db: Kysely<MetaTables>) {
  return db.selectFrom('organization')
}

/** What a product may keep of organisations, in the order of their ids. */
export function organizationsToKeep(db: Kysely<MetaTables>) {
  const facts = ['id', 'slug', 'name', 'logo', 'public'] as const
  return organizations(db).select(facts).select(['suspended_at', 'created_at', 'updated_at']).orderBy('id')
}

/** The same of members. Rows of an organisation that is gone are not members. */
export function membersToKeep(db: Kysely<MetaTables>) {
  const facts = ['member.id', 'organization_id', 'user_id', 'roles', 'member.created_at'] as const
  return members(db)
    .innerJoin('organization', 'organization.id', 'member.organization_id')
    .select(facts)
    .orderBy('member.id')
}

/** Inserts nothing if the slug is taken. */
export const insertOrganization = statement((meta: Meta, row: OrganizationTable) =>
  meta
    .insertInto('organization')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id'),
)

/** What the product and the members keep with it. */
export function organizationDataOf(db: Kysely<MetaTables>, id: string) {
  return organizations(db).select(['public', 'private', 'own', 'version']).where('id', '=', id)
}

export async function namesOfOrganizations({ primary }: Meta, ids: readonly string[]) {
  const rows = await organizations(primary).select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export function updateOrganizationRow(meta: Meta, id: string, changes: Partial<OrganizationTable>) {
  return meta.updateTable('organization').set(changes).where('id', '=', id)
}

/**
 * The organisation that has this slug, or has it as its id: products name organisations by either, and an imported id
 * can be any word. Takes no lock: the slug of an organisation is unique.
 */
export const namedBySlug = statement((db: Kysely<MetaTables>, slug: string) =>
  organizations(db)
    .select('id')
    .where((eb) => eb.or([eb('slug', '=', slug), eb('id', '=', slug)])),
)

/** Who had the slug last, if anybody. Takes no lock: the slug of an organisation is unique. */
export const holderOfSlug = statement((db: Kysely<MetaTables>, slug: string) =>
  db.selectFrom('organization_slug').select('organization_id').where('slug', '=', slug),
)

export const keepSlug = statement((meta: Meta, slug: string, organization_id: string) =>
  meta
    .insertInto('organization_slug')
    .values({ slug, organization_id })
    .onConflict((conflict) => conflict.column('slug').doUpdateSet({ organization_id })),
)

/** Nobody is a member from then on; what the organisation had is deleted in the background. */
export function deleteOrganizationRow(meta: Meta, id: string, now: number) {
  return [
    meta.deleteFrom('organization').where('id', '=', id),
    meta.insertInto('organization_remains').values({ id, kind: 'organization', created_at: now }),
  ] as const
}

export function members(db: Kysely<MetaTables>) {
  return db.selectFrom('member')
}

/** The user's organisations with the roles there, in the order of joining. */
export function organizationsOf(db: Kysely<MetaTables>, userId: string) {
  return members(db)
    .innerJoin('organization', 'organization.id', 'member.organization_id')
    .selectAll('organization')
    .select('member.roles')
    .where('member.user_id', '=', userId)
    .orderBy('member.created_at')
    .orderBy('member.id')
}

/** The same, without those that are suspended. */
export function actableBy(db: Kysely<MetaTables>, userId: string) {
  return organizationsOf(db, userId).where('organization.suspended_at', 'is', null)
}

/** Everything that a user is a member of, for an export. */
export function exportedMemberships(db: Kysely<MetaTables>, userId: string) {
  return members(db)
    .innerJoin('organization', 'organization.id', 'member.organization_id')
    .select(['organization.id as organization_id', 'organization.slug', 'organization.name', 'member.roles'])
    .select('member.created_at')
    .where('member.user_id', '=', userId)
    .orderBy('member.created_at')
    .orderBy('member.id')
}

/** What was sent to the user's address, once it is proven to be theirs. */
export function exportedInvitations(db: Kysely<MetaTables>, userId: string, atMost: number) {
  return db
    .selectFrom('organization_invitation as invitation')
    .innerJoin('organization', 'organization.id', 'invitation.organization_id')
    .select(['organization.id as organization_id', 'organization.slug', 'organization.name', 'invitation.roles'])
    .select(['invitation.status', 'invitation.created_at', 'invitation.expires_at', 'invitation.ended_at'])
    .where('invitation.email', 'in', provenAddress(db, userId))
    .orderBy('invitation.created_at')
    .orderBy('invitation.id')
    .limit(atMost)
}

/** With the organisation locked, the member stays as read. */
export const memberOf = statement((db: Kysely<MetaTables>, organizationId: string, userId: string) =>
  members(db).selectAll().where('user_id', '=', userId).where('organization_id', '=', organizationId),
)

/** With the user locked, the membership stays as read. */
export const membershipIn = statement((db: Kysely<MetaTables>, userId: string, organizationId: string) =>
  standingsOf(db, userId).where('organization.id', '=', organizationId),
)

/** The same, by the id or the slug of the organisation; no slug is the id of another. */
export const membershipNamed = statement((db: Kysely<MetaTables>, userId: string, organization: string) =>
  standingsOf(db, userId).where((eb) =>
    eb.or([eb('organization.id', '=', organization), eb('organization.slug', '=', organization)]),
  ),
)

function standingsOf(db: Kysely<MetaTables>, userId: string) {
  return members(db)
    .innerJoin('organization', 'organization.id', 'member.organization_id')
    .select(['organization.id', 'organization.slug', 'organization.name', 'organization.suspended_at'])
    .select(['member.roles'])
    .where('member.user_id', '=', userId)
}

/** For lists, which take no lock: the membership in an organisation that is not suspended. */
export function livingMembership(db: Kysely<MetaTables>, userId: Expression<string>, id: Expression<string | null>) {
  return members(db)
    .innerJoin('organization', 'organization.id', 'member.organization_id')
    .select('member.id')
    .where('member.user_id', '=', userId)
    .where('member.organization_id', '=', id)
    .where('organization.suspended_at', 'is', null)
}

/** Leaves out the rows of an organisation that was deleted. The user must be locked. */
export const membershipsOf = statement((db: Kysely<MetaTables>, userId: string) =>
  members(db)
    .innerJoin('organization', 'organization.id', 'member.organization_id')
    .selectAll('member')
    .where('user_id', '=', userId),
)

/** The user and the organisation must be locked. */
export function addMember(meta: Meta, member: MemberTable) {
  return [
    insertMember(meta, member),
    holdRoles(meta, member),
    countMembers(meta, member.organization_id, 1),
    ...(isOwner(member) ? [recountOwners(meta, member.organization_id)] : []),
  ]
}

/** The same. */
export function changeRoles(meta: Meta, member: MemberTable) {
  const { user_id, organization_id, roles } = member
  return [
    meta
      .updateTable('member')
      .set({ roles })
      .where('user_id', '=', user_id)
      .where('organization_id', '=', organization_id),
    holdNoRole(meta, member),
    holdRoles(meta, member),
    recountOwners(meta, organization_id),
  ] as const
}

/** The same. */
export function removeMember(meta: Meta, member: MemberTable) {
  const { user_id, organization_id } = member
  const ofMember = { user_id, organization_id }
  return [
    holdNoRole(meta, ofMember),
    leaveTeams(meta, ofMember),
    deleteMember(meta, ofMember),
    countMembers(meta, organization_id, -1),
    ...(isOwner(member) ? [recountOwners(meta, organization_id)] : []),
  ]
}

/** Counting owners takes as long as there are many: others come and go without it. */
function isOwner({ roles }: MemberTable): boolean {
  return roles.split(',').includes(OWNER)
}

type OfMember = Pick<MemberTable, 'organization_id' | 'user_id'>

const leaveTeams = statement((meta: Meta, { organization_id, user_id }: OfMember) =>
  meta.deleteFrom('team_member').where((eb) => eb.and({ organization_id, user_id })),
)

const deleteMember = statement((meta: Meta, { organization_id, user_id }: OfMember) =>
  meta.deleteFrom('member').where((eb) => eb.and({ organization_id, user_id })),
)

const insertMember = statement((meta: Meta, row: MemberTable) => meta.insertInto('member').values(row))

function holdRoles(meta: Meta, { roles, organization_id, user_id, id, created_at }: MemberTable) {
  const held = { organization_id, user_id, member_id: id, joined_at: created_at }
  return insertRoles(meta, ...roles.split(',').map((role) => ({ ...held, role })))
}

const insertRoles = statement((meta: Meta, ...rows: readonly MemberRoleTable[]) =>
  meta.insertInto('member_role').values(rows),
)

const holdNoRole = statement((meta: Meta, { organization_id, user_id }: OfMember) =>
  meta.deleteFrom('member_role').where((eb) => eb.and({ organization_id, user_id })),
)

const countMembers = statement((meta: Meta, id: string, by: number) =>
  meta
    .updateTable('organization')
    .set((eb) => ({ members: eb('members', '+', by) }))
    .where('id', '=', id),
)

/** A suspended owner counts as none. The organisation must be locked. */
export function recountOwners(meta: Meta, id: string) {
  const owners = meta
    .selectFrom('member_role')
    .select((eb) => eb.fn.countAll<number>().as('owners'))
    .where('member_role.organization_id', '=', id)
    .where('member_role.role', '=', OWNER)
    .where(({ exists }) => exists(unsuspended(meta, sql.ref('member_role.user_id'))))
  return meta
    .updateTable('organization')
    .set((eb) => ({
      owners,
      status: eb
        .case()
        .when('suspended_at', 'is not', null)
        .then('suspended' as const)
        .when(owners, '=', 0)
        .then('ownerless' as const)
        .else('active' as const)
        .end(),
    }))
    .where('id', '=', id)
}

/** Marks the membership in which the user's next session begins. The user must be locked. */
export const noteActive = statement((meta: Meta, userId: string, organizationId: string, now: number) =>
  meta
    .updateTable('member')
    .set({ last_active_at: now })
    .where('user_id', '=', userId)
    .where('organization_id', '=', organizationId),
)

/** The organisation in which a new session begins: the one last active, else the only one. */
export function organizationToBeginIn(db: Kysely<MetaTables>, userId: string | Expression<string>) {
  const memberships = db
    .selectFrom('member as counted')
    .innerJoin('organization as counted_in', 'counted_in.id', 'counted.organization_id')
    .select((eb) => eb.fn.countAll<number>().as('memberships'))
    .where('counted.user_id', '=', userId)
  return db
    .selectFrom('member')
    .innerJoin('organization', 'organization.id', 'member.organization_id')
    .select('member.organization_id')
    .where('member.user_id', '=', userId)
    .where((eb) => eb.or([eb('member.last_active_at', '>', 0), eb(memberships, '=', sql.lit(1))]))
    .orderBy('member.last_active_at', 'desc')
    .limit(1)
}

/** With the organisation locked, nobody else comes to hold the role. */
export function holdersOf(db: Kysely<MetaTables>, organizationId: string, role: string) {
  return db
    .selectFrom('member_role')
    .where('member_role.organization_id', '=', organizationId)
    .where('member_role.role', '=', role)
}

/** The members who hold the role, with the columns by which an index has them in order. */
export function membersHolding(db: Kysely<MetaTables>, organizationId: string, role: string) {
  return holdersOf(db, organizationId, role)
    .innerJoin('member', (join) =>
      join
        .onRef('member.user_id', '=', 'member_role.user_id')
        .onRef('member.organization_id', '=', 'member_role.organization_id'),
    )
    .select(['member.user_id', 'member.roles', 'member.last_active_at'])
    .select(['member_role.organization_id', 'member_role.member_id as id', 'member_role.joined_at as created_at'])
}

const MOST_MEMBERSHIPS = 1_000_000

/** All memberships of these users, a JSON array. The limit keeps a planner from reading those of an organisation. */
export function membershipsAmong(db: Kysely<MetaTables>, userIds: string) {
  return members(db)
    .selectAll()
    .where(amongJson(db, 'user_id', userIds))
    .limit(MOST_MEMBERSHIPS)
}
