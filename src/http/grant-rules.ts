import type { ProtectedCall, ProtectedRoute } from './route.ts'

/**
 * What the user of a grant has set for its calls: how many in a day, and which wait for approval. Implemented by the
 * approvals slice; `app.ts` passes it on.
 */
export interface GrantRules {
  /** Runs the call now, or answers that it waits. `check` refuses an invalid input, `work` does the route's work. */
  run(
    call: ProtectedCall,
    route: ProtectedRoute,
    raw: unknown,
    steps: { readonly check: () => Promise<unknown>; readonly work: () => Promise<unknown> },
  ): Promise<unknown>
}
