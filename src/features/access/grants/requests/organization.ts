import type { AuthorizationRequestTable } from '../../../../database/schema/products/grants.ts'
import type { SignedInCall } from '../../../../http/route.ts'
import type { Caller } from '../../../../rules/caller.ts'
import { invalidInput, type OAuthFault, oauthFault } from '../../../../rules/refusal.ts'
import type { GrantedScope } from '../../../../rules/scopes.ts'
import { actableBy, membershipNamed } from '../../../people/memberships/statements.ts'
import type { ValidRequest } from './request-check.ts'
import { storedScopes } from './requested-scopes.ts'

export interface RequestInside extends ValidRequest {
  /** The one that the client names: the user approves this one or none. */
  readonly namedId: string | null
  /** The one that the grant acts in, unless the user chooses another. */
  readonly organizationId: string | null
}

/** A foreign organisation and an unknown one are the same fault. */
export async function insideOf(call: SignedInCall, valid: ValidRequest): Promise<RequestInside | OAuthFault> {
  const { platform, caller } = call
  if (valid.organization === undefined) {
    return { ...valid, namedId: null, organizationId: unchosen(caller, valid.scopes) }
  }
  const [membership] = await platform.meta.primary.run(
    membershipNamed(platform.meta.primary, caller.user.id, valid.organization),
  )
  if (!membership) return oauthFault('access_denied', 'The user is not a member of this organisation.')
  if (membership.suspended_at !== null) return oauthFault('access_denied', 'This organisation is suspended.')
  return { ...valid, namedId: membership.id, organizationId: membership.id }
}

/** A grant acts in no organisation that nobody chose, unless the client asks in which the user is active. */
function unchosen({ organization }: Caller, scopes: readonly GrantedScope[]): string | null {
  return scopes.includes('organizations') ? (organization?.id ?? null) : null
}

/**
 * Tools are asked where they act, since nothing in their request says whether they would. An application that wants to
 * know asks for the scope.
 */
export async function describedOrganizations({ platform, caller }: SignedInCall, request: AuthorizationRequestTable) {
  const { organization_id: named, kind } = request
  const scopes = storedScopes(request.scopes)
  const isAsked = named !== null || kind === 'tool' || scopes.includes('organizations')
  const own = isAsked ? await platform.meta.primary.run(actableBy(platform.meta.primary, caller.user.id)) : []
  return {
    organization_id: named ?? unchosen(caller, scopes),
    organization_named: named !== null,
    organizations: own.filter(({ id }) => named === null || id === named).map(({ id, name }) => ({ id, name })),
  }
}

/** Null is a choice too. */
export function chosenIn(
  { caller }: SignedInCall,
  { organization_id: named, scopes }: AuthorizationRequestTable,
  chosen: string | null | undefined,
): string | null {
  if (named === null) return chosen === undefined ? unchosen(caller, storedScopes(scopes)) : chosen
  if (chosen === undefined || chosen === named) return named
  throw invalidInput('organization_id', 'organization_id: The application asks for another organisation.')
}
