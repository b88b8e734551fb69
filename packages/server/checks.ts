import type { Caller } from './caller.ts'
import type { RequestLike } from './credential.ts'

export interface Verifier {
  /** The caller of the request; undefined without a valid credential of the kind that is needed. Never rejects. */
  verify(request: RequestLike, needed?: Needed): Promise<Caller | undefined>
  /** The same with the reason, for a response with the right status. Never rejects. */
  check(request: RequestLike, needed?: Needed): Promise<Checked>
  /** The address where a user signs in and then returns to `returnTo`, whose origin the settings must allow. */
  signInUrl(returnTo: string): string
  /** Stops following; from then on the verifier asks. */
  close(): void
}

/** With neither, only a session passes: a tool is let in where a scope says what it may do. */
export interface Needed {
  /** A session passes; a grant must have it. */
  readonly scope?: string | undefined
  /** Only a session passes, also beside a scope. */
  readonly session?: boolean | undefined
  /** The roles in the active organisation must allow it, or all of them: `project:create`. */
  readonly permission?: string | readonly string[] | undefined
  /** The id or slug of the organisation that must be active. */
  readonly organization?: string | undefined
}

export type Checked = { readonly ok: true; readonly caller: Caller } | Refused

export interface Refused {
  readonly ok: false
  /** Undefined, so that a response can be chosen by `checked.caller` too. */
  readonly caller?: undefined
  /**
   * `UNAVAILABLE`: the credential is not known here, and Gatehouse did not respond. Any other code is the one with which
   * Gatehouse refused a valid credential, such as `EMAIL_NOT_VERIFIED`.
   */
  readonly code:
    | 'UNAUTHORIZED'
    | 'SESSION_REQUIRED'
    | 'INSUFFICIENT_SCOPE'
    | 'INSUFFICIENT_PERMISSION'
    | 'UNAVAILABLE'
    | (string & {})
  readonly message: string
}

export const UNAUTHORIZED: Refused = { ok: false, code: 'UNAUTHORIZED', message: 'Sign in first.' }
export const UNAVAILABLE: Refused = { ok: false, code: 'UNAVAILABLE', message: 'Try again in a moment.' }
const SESSION_REQUIRED: Refused = {
  ok: false,
  code: 'SESSION_REQUIRED',
  message: "This needs the user's own session; the token of a tool or an application is not enough.",
}

/**
 * Decides as Gatehouse does: a session passes, a grant needs the scope, administration needs the role, and a permission
 * is one in the active organisation.
 */
export function allowed(caller: Caller, needed: Needed): Checked {
  return refusedByScope(caller, needed) ?? refusedInOrganization(caller, needed) ?? { ok: true, caller }
}

function refusedByScope(caller: Caller, { scope, session }: Needed): Refused | undefined {
  const isGrant = caller.kind === 'grant'
  if (isGrant && (session || scope === undefined)) return SESSION_REQUIRED
  if (scope === undefined) return undefined
  const lacksRole = /^(admin|config):/.test(scope) && caller.role !== 'administrator'
  if (!lacksRole && (!isGrant || caller.scopes.includes(scope))) return undefined
  return { ok: false, code: 'INSUFFICIENT_SCOPE', message: `This needs the scope ${scope}.` }
}

/** A permission that is named without an organisation counts in whichever is active. */
export function refusedInOrganization(
  { organization: active }: Pick<Caller, 'organization'>,
  { permission = [], organization }: Pick<Needed, 'permission' | 'organization'>,
): Refused | undefined {
  if (organization !== undefined && organization !== active?.id && organization !== active?.slug)
    return lacksPermission('Another organisation is active, or none.')
  const lacking = [permission].flat().find((one) => !active?.permissions.includes(one))
  if (lacking === undefined) return undefined
  if (!active) return lacksPermission('This session or token acts in no organisation.')
  return lacksPermission(`This needs the permission ${lacking}.`)
}

function lacksPermission(message: string): Refused {
  return { ok: false, code: 'INSUFFICIENT_PERMISSION', message }
}
