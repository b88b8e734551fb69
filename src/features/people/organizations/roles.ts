import type { OrganizationRoleTable, OrganizationTable } from '../../../database/schema/people/organizations.ts'
import type { SignedInCall } from '../../../http/route.ts'
import { newId } from '../../../rules/ids.ts'
import {
  ADMIN,
  existing,
  isSharedRole,
  MEMBER,
  OWNER,
  type ProductRoles,
  permissionsIn,
  permissionsOf,
  Statements,
  statementsOf,
} from '../../../rules/permissions.ts'
import { type Code, Refusal } from '../../../rules/refusal.ts'
import { iso } from '../../../rules/time.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import { pendingInvitations } from '../memberships/invitation-statements.ts'
import {
  deleteRole as deleteRoleRow,
  insertRole,
  ownRolesOf,
  updateRole as updateRoleRow,
} from '../memberships/role-statements.ts'
import { holdersOf } from '../memberships/statements.ts'
import { refuseStatements } from './giving.ts'
import type { CreateRole, RoleOf, UpdateRole } from './input.ts'
import { type Decided, decideInside, getInside, type Inside, idOf, type Named, require } from './inside.ts'

const MOST_ROLES = 20

function unknownRole(): Refusal {
  return new Refusal('ROLE_NOT_FOUND', 'There is no such role.')
}

export async function createRole(call: SignedInCall, { role, permission, ...named }: CreateRole) {
  const { meta, now } = call.platform
  const organizationId = call.caller.organization?.id ?? named.organizationId
  if (!named.organizationId && !organizationId) {
    throw new Refusal('YOU_MUST_BE_IN_AN_ORGANIZATION_TO_CREATE_A_ROLE', 'Name an organisation, or make one active.')
  }
  const row = {
    ...{ id: newId(), organization_id: idOf(call.caller, named), role, permissions: JSON.stringify(permission) },
    ...{ created_at: now(), updated_at: now() },
  }
  return decideInside(call, { organizationId: row.organization_id }, [], async (act, inside) => {
    require(inside, 'ac:create', 'YOU_ARE_NOT_ALLOWED_TO_CREATE_A_ROLE', 'Making roles needs ac:create.')
    if (inside.own.size >= MOST_ROLES) throw new Refusal('TOO_MANY_ROLES', `An organisation has ${MOST_ROLES} roles.`)
    refuseTaken(inside, role)
    refusePermissions(inside, permission, 'YOU_ARE_NOT_ALLOWED_TO_CREATE_A_ROLE')
    act.write(...insertRole(meta, row))
    recordRole(act, 'organization_role.create', row)
    return { success: true as const, roleData: wireRole(row), statements: permission }
  })
}

export async function updateRole(call: SignedInCall, { data, ...named }: UpdateRole) {
  const { meta, now } = call.platform
  const organizationId = idOf(call.caller, named)
  const own = [ownRolesOf(meta, organizationId)] as const
  return decideInside(call, { organizationId }, own, async (act, inside, rows) => {
    require(inside, 'ac:update', 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_A_ROLE', 'Changing roles needs ac:update.')
    const row = ownRole(inside, rows, named)
    const { permission, roleName = row.role } = data
    const code = 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_A_ROLE'
    if (permission) refusePermissions(inside, permission, code)
    if (roleName !== row.role) {
      refuseTaken(inside, roleName)
      await refuseHeld(call, act, row)
      // Members can still hold a role of the new name, which the settings no longer have.
      refuseStatements(inside, permissionsIn(permission ?? permissionOf(row)), code)
    }
    const permissions = permission ? JSON.stringify(permission) : row.permissions
    const changed = { ...row, role: roleName, permissions, updated_at: now() }
    act.write(...updateRoleRow(meta, changed))
    recordRole(act, 'organization_role.update', changed)
    return { success: true as const, roleData: wireRole(changed) }
  })
}

export async function deleteRole(call: SignedInCall, named: RoleOf) {
  const { meta } = call.platform
  const organizationId = idOf(call.caller, named)
  const own = [ownRolesOf(meta, organizationId)] as const
  return decideInside(call, { organizationId }, own, async (act, inside, rows) => {
    require(inside, 'ac:delete', 'YOU_ARE_NOT_ALLOWED_TO_DELETE_A_ROLE', 'Deleting roles needs ac:delete.')
    const row = ownRole(inside, rows, named)
    await refuseHeld(call, act, row)
    act.write(...deleteRoleRow(meta, row))
    recordRole(act, 'organization_role.delete', row)
    return { success: true as const }
  })
}

type RoleAct = 'organization_role.create' | 'organization_role.update' | 'organization_role.delete'

function recordRole(act: Parameters<Parameters<typeof decideInside>[3]>[0], name: RoleAct, row: OrganizationRoleTable) {
  const { id, role, organization_id: organizationId } = row
  const data = name === 'organization_role.delete' ? { id, role } : { id, role, permission: permissionOf(row) }
  act.record(name, { organizationId, subject: { type: 'organization', id: organizationId }, details: { role }, data })
}

function refuseTaken({ product, own }: Decided, role: string): void {
  if (isSharedRole(product, role) || own.has(role)) {
    throw new Refusal('ROLE_NAME_IS_ALREADY_TAKEN', 'There is a role of this name.')
  }
}

/** Nobody makes a role with a permission that they lack, or that does not exist. */
function refusePermissions(
  inside: Decided,
  wanted: Statements,
  code: 'YOU_ARE_NOT_ALLOWED_TO_CREATE_A_ROLE' | 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_A_ROLE',
): void {
  const known = existing(inside.product)
  const asked = permissionsIn(wanted)
  const unknown = asked.filter((permission) => !known.has(permission))
  if (unknown.length > 0) throw new Refusal('INVALID_RESOURCE', `There is no such permission: ${unknown.join(', ')}.`)
  refuseStatements(inside, asked, code)
}

function ownRole(
  { product }: Decided,
  rows: readonly OrganizationRoleTable[],
  { roleName, roleId }: Pick<RoleOf, 'roleName' | 'roleId'>,
): OrganizationRoleTable {
  const found = rows.find(({ id, role }) => (roleName === undefined ? id === roleId : role === roleName))
  if (found) return found
  if (roleName !== undefined && isSharedRole(product, roleName)) {
    throw new Refusal('CANNOT_DELETE_A_PRE_DEFINED_ROLE', 'This role is the same in every organisation.')
  }
  throw unknownRole()
}

/** Those who hold a role, or are invited to it, would lose it with its name. */
async function refuseHeld(
  { platform: { meta, now } }: SignedInCall,
  act: Parameters<Parameters<typeof decideInside>[3]>[0],
  { organization_id: id, role }: OrganizationRoleTable,
): Promise<void> {
  const [holders, invitations] = await act.read([
    holdersOf(meta, id, role).select('member_id').limit(1),
    pendingInvitations(meta, id, now()).select('roles'),
  ])
  const isHeld = holders.length > 0 || invitations.some(({ roles }) => roles.split(',').includes(role))
  if (isHeld) throw new Refusal('ROLE_IS_ASSIGNED_TO_MEMBERS', 'Take the role from its members and invitations first.')
}

export async function listRoles(call: SignedInCall, named: Named) {
  const { inside, product, rows } = await rolesHere(call, named, 'YOU_ARE_NOT_ALLOWED_TO_LIST_A_ROLE')
  return [...sharedRoles(product, inside.organization), ...rows.map(wireRole)]
}

export async function getRole(call: SignedInCall, { roleName, roleId, ...named }: RoleOf) {
  const { inside, product, rows } = await rolesHere(call, named, 'YOU_ARE_NOT_ALLOWED_TO_READ_A_ROLE')
  const shared = sharedRoles(product, inside.organization).find(({ role }) => role === roleName)
  const own = rows.find(({ id, role }) => (roleName === undefined ? id === roleId : role === roleName))
  if (shared) return shared
  if (!own) throw unknownRole()
  return wireRole(own)
}

async function rolesHere(call: SignedInCall, named: Named, code: Code) {
  const { meta } = call.platform
  const inside: Inside = await getInside(call, named)
  require(inside, 'ac:read', code, 'Reading roles needs ac:read.')
  const rows = await meta.primary.run(ownRolesOf(meta, inside.organization.id))
  return { inside, rows, product: (await settingsOf(call)).organizations }
}

/** Built in or of the settings, with what they give now. */
function sharedRoles(product: ProductRoles, { id, created_at }: OrganizationTable) {
  const names = new Set([OWNER, ADMIN, MEMBER, ...Object.keys(product.roles)])
  return [...names].map((role) => ({
    ...{ id: null, organizationId: id, role, permission: statementsOf(permissionsOf(product, new Map(), [role])) },
    ...{ createdAt: iso(created_at), updatedAt: null },
  }))
}

function wireRole(row: OrganizationRoleTable) {
  const { id, organization_id, role, created_at, updated_at } = row
  return {
    ...{ id, organizationId: organization_id, role, permission: permissionOf(row) },
    ...{ createdAt: iso(created_at), updatedAt: iso(updated_at) },
  }
}

function permissionOf({ permissions }: OrganizationRoleTable) {
  return Statements.parse(JSON.parse(permissions))
}
