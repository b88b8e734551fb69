/** Who a request comes from, according to Gatehouse. */
export interface Caller {
  readonly userId: string
  readonly email: string
  readonly emailVerified: boolean
  readonly name: string
  /** What this credential can do, which for a grant is often less than its user could. */
  readonly role: 'user' | 'administrator'
  /** The user's own session, or a grant that the user gave to a tool. */
  readonly kind: 'session' | 'grant'
  /** Of a grant; a session is not limited by scopes, and has none. */
  readonly scopes: readonly string[]
  /** Of the session or grant. */
  readonly id: string
}

/** As Gatehouse decides it: a session passes, a grant needs the scope, and administration needs the role. */
export function hasScope(caller: Caller, scope: string): boolean {
  const isAdministration = /^(admin|config):/.test(scope)
  if (isAdministration && caller.role !== 'administrator') return false
  return caller.kind === 'session' || caller.scopes.includes(scope)
}
