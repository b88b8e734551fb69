import type { ApplicationTable } from '../../database/schema/products/applications.ts'
import type { Meta } from '../../database/store.ts'
import { type Issue, Refusal } from '../../rules/refusal.ts'
import { type GrantedScope, isAdministratorScope, isProductScope } from '../../rules/scopes.ts'
import { faultOfRedirect } from '../clients/redirects.ts'
import { areDeclared } from '../product-scopes/product-scopes.ts'

type Kind = ApplicationTable['kind']

interface Proposed {
  readonly kind: Kind
  readonly redirect_uris: readonly string[]
  readonly post_logout_redirect_uris: readonly string[]
  readonly scopes: readonly GrantedScope[]
  readonly skip_consent: boolean
  readonly require_pkce: boolean
}

export async function refuseInvalid(meta: Meta, application: Proposed): Promise<void> {
  const issues = [
    ...addressIssues(application),
    ...scopeIssues(application),
    ...consentIssues(application),
    ...pkceIssues(application),
  ]
  if (!(await areDeclared(meta, application.scopes))) {
    issues.push({ path: 'scopes', message: 'Declare the product scopes first.' })
  }
  const [first] = issues
  if (first) throw new Refusal('INVALID_REQUEST', `${first.path}: ${first.message}`, { issues })
}

function addressIssues({ kind, redirect_uris, post_logout_redirect_uris }: Proposed): Issue[] {
  if (kind === 'service' && redirect_uris.length + post_logout_redirect_uris.length > 0) {
    return [{ path: 'redirect_uris', message: 'A service has no browser to redirect.' }]
  }
  if (kind !== 'service' && redirect_uris.length === 0) {
    return [{ path: 'redirect_uris', message: 'Add at least one.' }]
  }
  return [
    ...faultsOf('redirect_uris', kind, redirect_uris),
    ...faultsOf('post_logout_redirect_uris', kind, post_logout_redirect_uris),
  ]
}

function faultsOf(path: string, kind: Kind, addresses: readonly string[]): readonly Issue[] {
  return addresses.flatMap((address, i) => {
    const message = faultOfRedirect(kind, address)
    return message === undefined ? [] : [{ path: `${path}.${i}`, message }]
  })
}

/** A service acts for no user, so it cannot have scopes for a user's own account. */
function scopeIssues({ kind, scopes }: Proposed): readonly Issue[] {
  if (kind !== 'service') return []
  const strays = scopes.filter((scope) => !isAdministratorScope(scope) && !isProductScope(scope))
  return strays.map((scope) => ({
    path: 'scopes',
    message: `A service has no account, so it cannot have ${scope}.`,
  }))
}

/** Another program can impersonate a native application, so its user is always asked. */
function consentIssues({ kind, skip_consent }: Proposed): readonly Issue[] {
  if (!skip_consent || kind === 'web' || kind === 'browser') return []
  return [{ path: 'skip_consent', message: 'Only a web or browser application can skip consent.' }]
}

/** A code that others have seen is worth nothing without the secret, which only a web application has. */
function pkceIssues({ kind, require_pkce }: Proposed): readonly Issue[] {
  if (require_pkce || kind === 'web') return []
  return [{ path: 'require_pkce', message: 'Only a web application can do without PKCE.' }]
}
