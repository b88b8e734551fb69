import type { Role } from './caller.ts'
import { Refusal } from './refusal.ts'
import { type GrantedScope, isAdministratorScope, isScope, SCOPES, type Scope } from './scopes.ts'

/** The scopes that a staff member can hold. */
export const STAFF_SCOPES = Object.keys(SCOPES).filter(isScope).filter(isAdministratorScope)

interface Member {
  readonly role: Role
  readonly staff_scopes: string | null
}

/** Sorted by name, and empty for everybody but staff. */
export function staffScopesOf({ staff_scopes }: Pick<Member, 'staff_scopes'>): readonly Scope[] {
  return staff_scopes === null ? [] : staff_scopes.split(' ').filter(isScope)
}

export function isStaff({ staff_scopes }: Pick<Member, 'staff_scopes'>): boolean {
  return staff_scopes !== null
}

/** True if the user can use the scope now: anyone for their own account, and only some for administration. */
export function holds(user: Member, scope: GrantedScope): boolean {
  if (!isAdministratorScope(scope) || user.role === 'administrator') return true
  return user.staff_scopes?.split(' ').includes(scope) ?? false
}

interface Account extends Member {
  readonly id: string
}

/** The administrator is not counted. */
export const MOST_MEMBERS = 100

/** Staff change nothing of the accounts of the administrator and of other staff. */
export function refuseColleague(by: Account, of: Account): void {
  if (by.role === 'administrator' || by.id === of.id) return
  if (of.role !== 'administrator' && !isStaff(of)) return
  throw new Refusal('FORBIDDEN', 'Only the administrator can change the account of a colleague.')
}
