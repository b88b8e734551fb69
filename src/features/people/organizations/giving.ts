import {
  canCount,
  existing,
  isSharedRole,
  namedBy,
  OWNER,
  type OwnRoles,
  type Permission,
  type ProductRoles,
  permissionsOf,
} from '../../../rules/permissions.ts'
import { Refusal } from '../../../rules/refusal.ts'

/** What the rules of roles are at the moment of a decision. */
export interface Rules {
  readonly product: ProductRoles
  readonly own: OwnRoles
}

/** Somebody who gives roles or makes them, with the roles that they hold themselves. */
export interface Giver extends Rules {
  readonly held: readonly string[]
}

type Code =
  | 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER'
  | 'YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE'
  | 'YOU_ARE_NOT_ALLOWED_TO_CREATE_A_ROLE'
  | 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_A_ROLE'

interface Given {
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly code: Code
}

/** Nobody gives what they lack, and only owners give or take the ownership. */
export function refuseRoles(giver: Giver, { before, after, code }: Given): void {
  const given = after.filter((role) => !before.includes(role))
  refuseUnknownRoles(giver, given)
  if (before.includes(OWNER) !== after.includes(OWNER) && !giver.held.includes(OWNER)) {
    throw new Refusal(code, 'Only an owner makes or unmakes an owner.')
  }
  const { product, own } = giver
  refuseLacking(giver, { now: permissionsOf(product, own, given), ever: namedBy(product, own, given), code })
}

interface Permitted {
  /** They count now. */
  readonly now: readonly Permission[]
  /** They count now or can count later. */
  readonly ever: readonly Permission[]
  readonly code: Code
}

/** Refuses what the giver lacks, even what is not declared at the moment: it counts once it is declared again. */
function refuseLacking({ product, own, held }: Giver, { now, ever, code }: Permitted): void {
  const permissions = new Set(permissionsOf(product, own, held))
  const lacking = [
    ...now.filter((each) => !permissions.has(each)),
    ...ever.filter((each) => !canCount(product, own, held, each)),
  ]
  if (lacking.length === 0) return
  const missingPermissions = [...new Set(lacking)]
  const words = `You cannot give what you lack: ${missingPermissions.join(', ')}.`
  throw new Refusal(code, words, { facts: { missingPermissions } })
}

/** Refuses to make a role with permissions that the giver lacks. */
export function refuseStatements(giver: Giver, ever: readonly Permission[], code: Code): void {
  const all = existing(giver.product)
  refuseLacking(giver, { now: ever.filter((each) => all.has(each)), ever, code })
}

export function refuseUnknownRoles({ product, own }: Rules, roles: readonly string[]): void {
  const unknown = roles.filter((role) => !isSharedRole(product, role) && !own.has(role))
  if (unknown.length > 0) throw new Refusal('ROLE_NOT_FOUND', `ROLE_NOT_FOUND: ${unknown.join(', ')}`)
}
