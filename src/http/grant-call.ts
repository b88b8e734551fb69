import type { Code } from '../rules/refusal.ts'

/** A call of a grant, from the acceptance of its token to its response, with which the grant's user sees it listed. */
export interface GrantCall {
  readonly grantId: string
  /** A tool of `/mcp` stands for a route, as which it is listed. */
  standsFor(route: string): void
  /** An application sent the token: to exchange it, or to ask about it. */
  presentedBy(applicationId: string): void
  /** The user decides about it first. */
  waitsFor(approvalId: string): void
  /** Later responses of the same call change nothing. */
  answered(route: string, response: Outcome): void
}

export interface Outcome {
  readonly status: number
  /** If it is a refusal. */
  readonly code?: Code | undefined
}
