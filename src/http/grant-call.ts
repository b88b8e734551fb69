import type { Code } from '../rules/refusal.ts'

/** One call of a grant, from the acceptance of its token to its response, as its user sees it listed. */
export interface GrantCall {
  readonly grantId: string
  /** Lists the call of a tool of `/mcp` as one of this route. */
  standsFor(route: string): void
  /** An application sent the token: to exchange it, or to ask about it. */
  presentedBy(applicationId: string): void
  /** The call waits for the user's decision. */
  waitsFor(approvalId: string): void
  /** Later responses of the same call change nothing. */
  answered(route: string, response: CallOutcome): void
}

export interface CallOutcome {
  readonly status: number
  /** Set for a refusal. */
  readonly code?: Code | undefined
}
