import type { RouteAction, Scope } from '../scopes.ts'

/** Calls of programs, in words for the user who approves them; pages, notifications and letters say the same. */
export interface CallWords {
  readonly actions: Readonly<Record<RouteAction, string>>
  /** Input fields; others are shown by their name. */
  readonly fields: Readonly<Record<string, string>>
  /** What a program with the scope can do. */
  readonly scopes: Readonly<Record<Scope, string>>
}
