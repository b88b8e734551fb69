import type { Kysely, SelectQueryBuilder } from 'kysely'
import { statement } from '../../../database/prepared.ts'
import type { OrganizationRoleTable } from '../../../database/schema/people/organizations.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import type { Meta } from '../../../database/store.ts'
import { newId } from '../../../rules/ids.ts'

// An organisation's own roles. Whatever changes them locks the organisation's row and renews its token.

export const ownRolesOf = statement((db: Kysely<MetaTables>, organizationId: string) =>
  db
    .selectFrom('organization_role')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .orderBy('id'),
)

export function insertRole(meta: Meta, role: OrganizationRoleTable) {
  return [meta.insertInto('organization_role').values(role), renewToken(meta, role.organization_id)] as const
}

export function updateRole(meta: Meta, { id, organization_id, ...changes }: OrganizationRoleTable) {
  return [
    meta.updateTable('organization_role').set(changes).where('id', '=', id),
    renewToken(meta, organization_id),
  ] as const
}

export function deleteRole(meta: Meta, { id, organization_id }: OrganizationRoleTable) {
  return [meta.deleteFrom('organization_role').where('id', '=', id), renewToken(meta, organization_id)] as const
}

function renewToken(meta: Meta, id: string) {
  return meta.updateTable('organization').set({ roles_token: newId() }).where('id', '=', id)
}

/** The organisations are those of another query. */
export function rolesOfOrganizations(
  db: Kysely<MetaTables>,
  of: SelectQueryBuilder<MetaTables, 'organization_invitation', { readonly organization_id: string }>,
) {
  return db.selectFrom('organization_role').selectAll().where('organization_id', 'in', of)
}
