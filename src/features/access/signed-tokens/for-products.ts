import type { Platform } from '../../../platform/platform.ts'
import type { Caller } from '../../../rules/caller.ts'
import { isProductScope } from '../../../rules/scopes.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { permissionsIn } from '../../people/memberships/permissions.ts'
import { stillDeclared } from '../product-scopes/product-scopes.ts'

/**
 * True if a product can accept this credential for its user. An application's token opens a product only if the user
 * gave it a scope of that product. Otherwise an application that got a token to identify its user could act as that
 * user everywhere.
 */
export function isForProducts({ credential }: Pick<Caller, 'credential'>): boolean {
  if (credential.kind === 'session') return true
  const { grantKind, scopes } = credential
  return grantKind === 'tool' || grantKind === 'personal' || scopes.some(isProductScope)
}

/** The caller as products see it: without deleted product scopes. */
export async function asProductsSee({ meta }: Platform, caller: Caller): Promise<Caller> {
  const { credential } = caller
  if (credential.kind === 'session') return caller
  return { ...caller, credential: { ...credential, scopes: await stillDeclared(meta, credential.scopes) } }
}

/** The user that a product sees. A service appears as itself, not as the administrator in whose name it acts. */
export function subjectOf({ user, credential }: Caller) {
  if (credential.kind === 'grant' && credential.grantKind === 'service') {
    return { id: credential.clientId, email: '', emailVerified: false, name: '' }
  }
  const { id, email, email_verified, name } = user
  return { id, email, emailVerified: email_verified === 1, name }
}

/** The organisation that a product sees, with what the caller's roles allow there at this moment. */
export async function actingOf(platform: Platform, { organization, settingsRevision }: Caller) {
  if (!organization) return undefined
  const { id, slug, roles } = organization
  const permissions = await permissionsIn(platform, await currentSettings(platform, settingsRevision), organization)
  return { id, slug, roles, permissions }
}

/** The same as claims of signed tokens and introspections; none without an organisation. */
export async function actingClaims(platform: Platform, caller: Caller) {
  const acting = await actingOf(platform, caller)
  return (
    acting && {
      org_id: acting.id,
      org_slug: acting.slug,
      org_roles: acting.roles,
      org_permissions: acting.permissions,
    }
  )
}
