import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { CallerOrganization } from '../../../rules/caller.ts'
import { isSynthetic } from '../../../rules/email.ts'
import type { GrantedScope } from '../../../rules/scopes.ts'
import { shownPicture } from '../../ground/provider-presets/presets.ts'

/** The claims of OpenID Connect Core section 5.1 that the scopes allow. */
export function identityClaims(
  { config }: Pick<Platform, 'config'>,
  user: Pick<UserTable, 'id' | 'name' | 'handle' | 'email' | 'email_verified' | 'image' | 'updated_at'>,
  scopes: readonly GrantedScope[],
  organization: ActingIn | undefined,
) {
  const picture = shownPicture(config, user.image)
  const username = user.handle ?? localPart(user.email)
  return {
    sub: user.id,
    ...(scopes.includes('organizations') && organization && organizationClaims(organization)),
    ...(scopes.includes('profile') && {
      // A user who was not asked for a name has the address as name, which only the scope `email` reveals.
      ...(user.name.toLowerCase() !== user.email && { name: user.name }),
      ...(username !== undefined && { preferred_username: username }),
      ...(picture !== null && { picture }),
      updated_at: Math.floor(user.updated_at / 1000),
    }),
    // A synthetic address receives no mail.
    ...(scopes.includes('email') &&
      !isSynthetic(user.email) && { email: user.email, email_verified: user.email_verified === 1 }),
  }
}

/** The organisation in which a grant acts. */
export type ActingIn = Pick<CallerOrganization, 'id' | 'slug' | 'name' | 'roles'>

function organizationClaims({ id, slug, name, roles }: ActingIn) {
  return { org_id: id, org_slug: slug, org_name: name, org_roles: roles }
}

/** Undefined for a synthetic address, which says nothing about the user. */
function localPart(email: string): string | undefined {
  return isSynthetic(email) ? undefined : email.split('@')[0]
}
