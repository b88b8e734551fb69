import { Failed, failedOf } from './failed.ts'
import type { Organization } from './organizations.ts'
import type { Requests } from './requests.ts'

export interface User {
  /** Absent for the token of an application. */
  readonly id?: string
  readonly name: string
  readonly email: string
  readonly image: string | null
  readonly role?: string
}

/** `unknown` until the server has answered. A valid token may not show whose it is. */
export type State =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'out' }
  | {
      readonly kind: 'in'
      readonly user: User | undefined
      readonly isActedBy?: boolean
      /** The organisation that the session or the token acts in. */
      readonly organizationId: string | null
    }
  | { readonly kind: 'failed'; readonly error: Failed }

interface Session {
  readonly user?: User
  readonly session?: { readonly impersonatedBy?: string | null; readonly activeOrganizationId?: string | null }
}

/** What an application's token says of its user in OpenID Connect's way, if its scopes allow it. */
export interface Claims {
  readonly name?: string
  readonly email?: string
  readonly picture?: string
  readonly org_id?: string
  readonly organizations?: readonly Pick<Organization, 'id' | 'slug' | 'name' | 'roles'>[]
}

export type Call = <Answer>(path: string, body?: object) => Promise<Answer>

export async function readState(requests: Requests, call: Call): Promise<State> {
  if (requests.isByToken && !(await requests.tokenNow())) return { kind: 'out' }
  const known = await call<Session | null>('/api/auth/get-session').catch(unlessForbidden)
  if (known?.user) {
    const { impersonatedBy, activeOrganizationId = null } = known.session ?? {}
    const isActedBy = Boolean(impersonatedBy)
    return { kind: 'in', user: known.user, isActedBy, organizationId: activeOrganizationId }
  }
  if (!requests.isByToken) return { kind: 'out' }
  const claims = await readClaims(call)
  const { name = '', email = '', picture = null, org_id: organizationId = null } = claims ?? {}
  const user = claims ? { name: name || email, email, image: picture } : undefined
  return { kind: 'in', user, organizationId }
}

export function readClaims(call: Call): Promise<Claims | undefined> {
  return call<Claims>('/api/oauth/userinfo').catch(unlessForbidden)
}

/** Handler for `catch`. */
export function unlessForbidden(error: unknown): undefined {
  if (!(error instanceof Failed) || error.status !== 403) throw error
}

export function stateAfter(error: unknown): State {
  const failed = failedOf(error)
  return failed.status === 401 ? { kind: 'out' } : { kind: 'failed', error: failed }
}

/** Trying again can help. */
export function isPassing({ status }: Failed): boolean {
  return status === 0 || status === 429 || status >= 500
}
