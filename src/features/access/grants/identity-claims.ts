import type { UserTable } from '../../../database/schema/people/users.ts'
import { isSynthetic } from '../../../rules/email.ts'
import type { GrantedScope } from '../../../rules/scopes.ts'

/** OpenID Connect Core section 5.1, as far as the scopes allow. */
export function identityClaims(
  user: Pick<UserTable, 'id' | 'name' | 'email' | 'email_verified' | 'image' | 'updated_at'>,
  scopes: readonly GrantedScope[],
) {
  return {
    sub: user.id,
    ...(scopes.includes('profile') && {
      name: user.name,
      ...(user.image !== null && { picture: user.image }),
      updated_at: Math.floor(user.updated_at / 1000),
    }),
    // A synthetic address receives no mail.
    ...(scopes.includes('email') &&
      !isSynthetic(user.email) && { email: user.email, email_verified: user.email_verified === 1 }),
  }
}
