import type { Config } from '../../../config/config.ts'
import type { ApplicationTable } from '../../../database/schema/products/applications.ts'
import type { Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { type Issue, Refusal } from '../../../rules/refusal.ts'
import { type GrantedScope, isAdministratorScope, isProductScope } from '../../../rules/scopes.ts'
import { faultOfRedirect } from '../clients/redirects.ts'
import { canonical } from '../clients/resources.ts'
import { applicationByKey, applicationByResource } from '../clients/statements.ts'
import { areDeclared } from '../product-scopes/product-scopes.ts'

type Kind = ApplicationTable['kind']

interface Proposed {
  readonly kind: Kind
  readonly key?: string | null | undefined
  readonly redirect_uris: readonly string[]
  readonly post_logout_redirect_uris: readonly string[]
  readonly scopes: readonly GrantedScope[]
  readonly skip_consent: boolean
  readonly require_pkce: boolean
  readonly resource: string | null
  readonly id?: string
  readonly backchannel_logout_uri: string | null
}

export async function refuseInvalid({ meta, config }: Platform, application: Proposed): Promise<void> {
  const issues = issuesOf(config, application, {
    areDeclared: await areDeclared(meta, application.scopes),
    owners: await owners(meta, application),
  })
  const [first] = issues
  if (first) throw new Refusal('INVALID_REQUEST', `${first.path}: ${first.message}`, { issues })
}

async function owners(meta: Meta, { key, resource }: Proposed) {
  const address = resource === null ? undefined : canonical(resource)
  return {
    key: key ? await applicationByKey(meta, key) : undefined,
    resource: address === undefined ? undefined : await applicationByResource(meta, address),
  }
}

interface Others {
  /** All of its product scopes. */
  readonly areDeclared: boolean
  /** The applications that have its key and its resource, itself included. */
  readonly owners: Readonly<Record<'key' | 'resource', { readonly id: string } | undefined>>
}

/** Everything about it that cannot be, beside the applications and product scopes that there are. */
export function issuesOf(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  application: Proposed,
  { areDeclared, owners }: Others,
): readonly Issue[] {
  const isOthers = (owner: { readonly id: string } | undefined) => owner !== undefined && owner.id !== application.id
  return [
    ...addressIssues(application),
    ...scopeIssues(application),
    ...kindIssues(application),
    ...resourceIssues(baseUrl, application, isOthers(owners.resource)),
    ...(isOthers(owners.key) ? [{ path: 'key', message: 'Another application has this key.' }] : []),
    ...(areDeclared ? [] : [{ path: 'scopes', message: 'Declare the product scopes first.' }]),
  ]
}

/** The application with this address checks the tokens for it, so no two applications have the same. */
function resourceIssues(baseUrl: string, { resource }: Proposed, isTaken: boolean): readonly Issue[] {
  if (resource === null) return []
  const address = canonical(resource)
  const wrong = (message: string) => [{ path: 'resource', message }]
  if (address === undefined || faultOfRedirect('web', resource) !== undefined)
    return wrong('Use an https address without a fragment.')
  if (new URL(address).origin === new URL(baseUrl).origin) return wrong('This address belongs to this service itself.')
  return isTaken ? wrong('Another application has this address.') : []
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

/** Fields that only some kinds can have. */
function kindIssues({ kind, skip_consent, require_pkce, backchannel_logout_uri }: Proposed): readonly Issue[] {
  const issues: Issue[] = []
  // Another program can impersonate a native application, so its user is always asked.
  if (skip_consent && kind !== 'web' && kind !== 'browser')
    issues.push({ path: 'skip_consent', message: 'Only a web or browser application can skip consent.' })
  // A code that others have seen is worth nothing without the secret, which only a web application has.
  if (!require_pkce && kind !== 'web')
    issues.push({ path: 'require_pkce', message: 'Only a web application can do without PKCE.' })
  if (backchannel_logout_uri !== null && kind === 'service')
    issues.push({ path: 'backchannel_logout_uri', message: 'Nobody signs in to a service.' })
  return issues
}
