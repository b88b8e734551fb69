import { z } from 'zod'

// What a member of an organisation may do there: an action on a resource, written `resource:action`.

/** Actions by resource, as roles are written. */
export const Statements = z.record(z.string(), z.array(z.string()))
export type Statements = Readonly<Record<string, readonly string[]>>

export type Permission = `${string}:${string}`

/** Our own, by the names that Better Auth has for them. */
const BUILT_IN = {
  organization: ['update', 'delete'],
  member: ['create', 'update', 'delete'],
  invitation: ['create', 'cancel'],
  team: ['create', 'update', 'delete'],
  ac: ['create', 'read', 'update', 'delete'],
} as const satisfies Statements

type BuiltIn = { [R in keyof typeof BUILT_IN]: `${R}:${(typeof BUILT_IN)[R][number]}` }[keyof typeof BUILT_IN]

/** What a route asks for. */
export type OwnPermission = BuiltIn

export const OWNER = 'owner'
export const ADMIN = 'admin'
export const MEMBER = 'member'

/** The one right of an owner that an administrator of the organisation lacks. */
const OWNERS_ALONE = 'organization:delete'
const OF_EVERY_MEMBER: readonly Permission[] = ['ac:read']

export const ROLES_OF_A_MEMBER = 5
const MOST_PAIRS = 64
const MOST_BYTES = 2_048

/** Kept for an organisation's own sign-in. */
const RESERVED = ['access']

const Word = z.string().regex(/^[a-z][a-z0-9_]{0,23}$/, 'Use 1 to 24 of a-z, 0-9 and _, beginning with a letter.')

export const RoleName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'Use 1 to 32 of a-z, 0-9, _ and -, beginning with a letter or a digit.')

/** Permissions by resource, each of them once. */
export const Permissions = z
  .record(Word, z.array(Word).max(MOST_PAIRS))
  .refine((statements) => permissionsIn(statements).length <= MOST_PAIRS, `Use at most ${MOST_PAIRS} permissions.`)
  .refine((statements) => bytesOf(statements) <= MOST_BYTES, 'Use at most 2 KB of permissions.')
  .overwrite(once)

/** What a product declares: not what we have ourselves. */
export const Declared = Permissions.refine(
  (statements) => Object.keys(statements).every((resource) => !isReserved(resource)),
  `${[...Object.keys(BUILT_IN), ...RESERVED].join(', ')} are taken.`,
)

function isReserved(resource: string): boolean {
  return Object.hasOwn(BUILT_IN, resource) || RESERVED.includes(resource)
}

function once(statements: Statements): Record<string, string[]> {
  return Object.fromEntries(Object.entries(statements).map(([resource, actions]) => [resource, [...new Set(actions)]]))
}

/** As they travel in headers and tokens. */
function bytesOf(statements: Statements): number {
  return permissionsIn(statements).join(' ').length
}

export function permissionsIn(statements: Statements): readonly Permission[] {
  return Object.entries(statements).flatMap(([resource, actions]) =>
    actions.map((action): Permission => `${resource}:${action}`),
  )
}

/** The product's own permissions and roles, as the settings have them. */
export interface ProductRoles {
  readonly permissions: Statements
  readonly roles: Readonly<Record<string, Statements>>
}

/** The permissions of roles made in one organisation, by role. */
export type OwnRoles = ReadonlyMap<string, Statements>

/** True for a role of every organisation, which none can have for its own. */
export function isSharedRole({ roles }: ProductRoles, role: string): boolean {
  return role === OWNER || role === ADMIN || role === MEMBER || Object.hasOwn(roles, role)
}

/** True if the name may give something only by a role of the organisation's own. */
export function namesOwnRole(product: ProductRoles, roles: readonly string[]): boolean {
  return roles.some((role) => !isSharedRole(product, role))
}

/** Everything that exists: what is in no organisation's reach gives nothing, wherever it is named. */
export function existing({ permissions }: ProductRoles): ReadonlySet<Permission> {
  return new Set([...permissionsIn(BUILT_IN), ...permissionsIn(permissions)])
}

/** Sorted, so that the same permissions read the same. */
export function permissionsOf(product: ProductRoles, own: OwnRoles, roles: readonly string[]): readonly Permission[] {
  const all = existing(product)
  const held = new Set(roles.flatMap((role) => ofRole(product, own, role, all)))
  return [...held].filter((permission) => all.has(permission)).toSorted()
}

/**
 * True if these roles give the permission now, or would give it once it is declared again or the settings lose a role
 * that has the name of an own one.
 */
export function canCount(product: ProductRoles, own: OwnRoles, roles: readonly string[], permission: Permission) {
  if (roles.includes(OWNER)) return true
  if (roles.includes(ADMIN) && permission !== OWNERS_ALONE) return true
  return namedBy(product, own, roles).includes(permission)
}

/** Every permission that these roles name, whether or not it counts now. */
export function namedBy(product: ProductRoles, own: OwnRoles, roles: readonly string[]): readonly Permission[] {
  const all = existing(product)
  return roles.flatMap((role) => [...ofRole(product, own, role, all), ...permissionsIn(own.get(role) ?? {})])
}

function ofRole(
  product: ProductRoles,
  own: OwnRoles,
  role: string,
  all: ReadonlySet<Permission>,
): readonly Permission[] {
  if (role === OWNER) return [...all]
  if (role === ADMIN) return [...all].filter((permission) => permission !== OWNERS_ALONE)
  const ofProduct = Object.hasOwn(product.roles, role) ? permissionsIn(product.roles[role] ?? {}) : undefined
  if (role === MEMBER) return [...OF_EVERY_MEMBER, ...(ofProduct ?? [])]
  return ofProduct ?? permissionsIn(own.get(role) ?? {})
}

/** The inverse of `permissionsIn`. */
export function statementsOf(permissions: readonly Permission[]): Record<string, string[]> {
  const statements = new Map<string, string[]>()
  for (const permission of permissions) {
    const [resource = '', action = ''] = permission.split(':')
    statements.set(resource, [...(statements.get(resource) ?? []), action])
  }
  return Object.fromEntries(statements)
}
