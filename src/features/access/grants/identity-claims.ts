import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Platform } from '../../../platform/platform.ts'
import { isSynthetic } from '../../../rules/email.ts'
import type { GrantedScope } from '../../../rules/scopes.ts'
import { shownPicture } from '../../ground/provider-presets/presets.ts'

/** OpenID Connect Core section 5.1, as far as the scopes allow. */
export function identityClaims(
  { config }: Pick<Platform, 'config'>,
  user: Pick<UserTable, 'id' | 'name' | 'email' | 'email_verified' | 'image' | 'updated_at'>,
  scopes: readonly GrantedScope[],
) {
  const picture = shownPicture(config, user.image)
  return {
    sub: user.id,
    ...(scopes.includes('profile') && {
      name: user.name,
      ...(picture !== null && { picture }),
      updated_at: Math.floor(user.updated_at / 1000),
    }),
    // A synthetic address receives no mail.
    ...(scopes.includes('email') &&
      !isSynthetic(user.email) && { email: user.email, email_verified: user.email_verified === 1 }),
  }
}
