import type { Connection } from './connection.ts'
import { readClaims, unlessForbidden } from './state.ts'

/** One that the user is a member of. */
export interface Organization {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly logo: string | null
  readonly roles: readonly string[]
  /** While it is, its members cannot act in it. */
  readonly suspended: boolean
}

export interface Organizations {
  readonly items: readonly Organization[]
  readonly canCreate: boolean
}

interface Listed extends Omit<Organization, 'roles'> {
  readonly role: string
}

export async function readOrganizations(connection: Connection): Promise<Organizations> {
  const { state } = connection
  const isAdministrator = state.kind === 'in' && state.user?.role === 'administrator'
  const [items, { organizations_open = false }] = await Promise.all([
    connection.call<readonly Listed[]>('/api/auth/organization/list').then(
      (listed) => listed.map(organizationOf),
      (error) => claimedOrganizations(connection, error),
    ),
    connection.call<{ organizations_open?: boolean }>('/api/client_config'),
  ])
  return { items, canCreate: organizations_open || isAdministrator }
}

/** The token of an application can have the scope of OpenID Connect instead. */
async function claimedOrganizations(connection: Connection, error: unknown): Promise<readonly Organization[]> {
  if (!connection.isByToken) throw error
  unlessForbidden(error)
  const claims = await readClaims(connection.call)
  if (!claims?.organizations) throw error
  return claims.organizations.map((one) => ({ ...one, logo: null, suspended: false }))
}

function organizationOf({ id, slug, name, logo, role, suspended }: Listed): Organization {
  return { id, slug, name, logo, roles: role.split(','), suspended }
}
