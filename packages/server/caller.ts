/** The sender of a request, according to Gatehouse. */
export interface Caller {
  readonly userId: string
  readonly email: string
  readonly emailVerified: boolean
  readonly name: string
  /** The role of this credential, which for a grant is often less than its user's. */
  readonly role: 'user' | 'administrator'
  /** The user's own session, or a grant that the user gave to a tool. */
  readonly kind: 'session' | 'grant'
  /** A grant's scopes; empty for a session, which scopes do not limit. */
  readonly scopes: readonly string[]
  /** The id of the session or grant. */
  readonly id: string
  /**
   * The calls a grant's user wants to approve first. Gatehouse holds up calls to itself; the product decides about its
   * own. A session has `none`.
   */
  readonly approval: Approval
}

export type Approval = (typeof APPROVALS)[number]

const APPROVALS = ['none', 'writes', 'everything'] as const

/** An older Gatehouse sends none. Undefined for a value that no Gatehouse sends. */
export function approvalIn(value: unknown): Approval | undefined {
  if (value === undefined || value === null) return 'none'
  return APPROVALS.find((approval) => approval === value)
}

/** Decides as Gatehouse does: a session passes, a grant needs the scope, and administration needs the role. */
export function hasScope(caller: Caller, scope: string): boolean {
  const isAdministration = /^(admin|config):/.test(scope)
  if (isAdministration && caller.role !== 'administrator') return false
  return caller.kind === 'session' || caller.scopes.includes(scope)
}
