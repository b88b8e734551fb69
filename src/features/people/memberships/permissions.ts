import type { Platform } from '../../../platform/platform.ts'
import type { CallerOrganization } from '../../../rules/caller.ts'
import {
  namesOwnRole,
  type OwnRoles,
  type Permission,
  type ProductRoles,
  permissionsOf,
  Statements,
} from '../../../rules/permissions.ts'
import { ownRolesOf } from './role-statements.ts'

type Held = Pick<CallerOrganization, 'id' | 'roles' | 'rolesToken'>

/** What the roles give now. The organisation's own roles are read once for each change of them. */
export async function permissionsIn(
  platform: Platform,
  { organizations }: { readonly organizations: ProductRoles },
  held: Held,
): Promise<readonly Permission[]> {
  const own = namesOwnRole(organizations, held.roles) ? await rememberedRoles(platform, held) : NONE
  return permissionsOf(organizations, own, held.roles)
}

const NONE: OwnRoles = new Map()

/** The token was read before the roles: those of a later change are remembered by a token that nobody asks for again. */
function rememberedRoles({ versioned, meta }: Platform, { id, rolesToken }: Held): Promise<OwnRoles> {
  if (rolesToken === '') return Promise.resolve(NONE)
  return versioned.read(`roles of ${id}`, rolesToken, async () =>
    ownRoles(await meta.primary.run(ownRolesOf(meta, id))),
  )
}

export function ownRoles(rows: readonly { readonly role: string; readonly permissions: string }[]): OwnRoles {
  return new Map(rows.map(({ role, permissions }) => [role, Statements.parse(JSON.parse(permissions))]))
}
