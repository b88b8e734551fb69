import type { GrantCredential } from '../rules/caller.ts'
import type { CallerLimit } from '../rules/caller-limits.ts'
import type { Answer } from './answers/answer.ts'
import type { FindCaller } from './find-caller.ts'
import type { GuardedRoute, ProtectedCall, SignedInCall } from './route.ts'

/** Decides which calls of a grant wait for its user's approval. Implemented by the approvals slice. */
export interface GrantRules {
  /** Returns the response to a call that waits, which `check` has found valid; undefined if it can run now. */
  holdUp(
    call: ProtectedCall,
    credential: GrantCredential,
    route: GuardedRoute,
    raw: unknown,
    check: () => Promise<unknown>,
  ): Promise<Answer | undefined>
}

/** The steps before a handler that features implement; `app.ts` passes them on. */
export interface Steps extends GrantRules {
  readonly findCaller: FindCaller
  /** Refuses calls beyond the limit that their route declares. Implemented by the limits slice. */
  countCall(call: SignedInCall, limit: CallerLimit): Promise<void>
}
