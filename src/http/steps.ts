import type { Platform } from '../platform/platform.ts'
import type { Caller, GrantCredential } from '../rules/caller.ts'
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
  /** Finds the caller by the token of a session in which the administrator acts as a user. */
  findByActing(platform: Platform, token: string): Promise<Caller | undefined>
  /** Refuses calls beyond the limit that their route declares. Implemented by the limits slice. */
  countCall(call: SignedInCall, limit: CallerLimit): Promise<void>
  /** Notes a change by an administrator who acts as the user, and returns what takes it back if it is refused. */
  noteChange(call: SignedInCall, route: string): Promise<() => Promise<void>>
}
