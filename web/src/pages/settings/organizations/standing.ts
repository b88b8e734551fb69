import { permissionsIn } from '../../organizations/roles.tsx'
import type { Membership, Role } from './queries.ts'

const owner = 'owner'

/** What the reader may do in an organisation, by the roles they hold. The service decides anyway. */
export function standingOf({ role }: Pick<Membership, 'role'>, roles: readonly Role[]) {
  const held = role.split(',')
  const isOwner = held.includes(owner)
  const permissions = new Set(
    roles.filter((one) => held.includes(one.role)).flatMap(({ permission }) => permissionsIn(permission)),
  )
  const hasAll = ({ permission }: Role) => permissionsIn(permission).every((one) => permissions.has(one))
  return {
    isOwner,
    permissions,
    can: (permission: string) => permissions.has(permission),
    /** The roles that they can give, and take. */
    offered: roles.filter((one) => (one.role === owner ? isOwner : hasAll(one))).map((one) => one.role),
  }
}

export type Standing = ReturnType<typeof standingOf>
