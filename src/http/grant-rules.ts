import type { Answer } from './answers/answer.ts'
import type { GuardedRoute, ProtectedCall } from './route.ts'

/**
 * Decides which calls of a grant wait for its user's approval. Implemented by the approvals slice; `app.ts` passes it
 * on.
 */
export interface GrantRules {
  /** Returns the response to a call that waits, which `check` has found valid; undefined if it can run now. */
  holdUp(
    call: ProtectedCall,
    route: GuardedRoute,
    raw: unknown,
    check: () => Promise<unknown>,
  ): Promise<Answer | undefined>
}
