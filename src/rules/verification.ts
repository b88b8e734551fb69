import { isSynthetic } from './email.ts'

interface Rule {
  readonly email_verification_required: boolean
}

/** True if a password or a passkey is not enough to sign in, because the address must be verified first. */
export function lacksVerification(
  { email_verification_required }: Rule,
  { email_verified }: { readonly email_verified: number },
): boolean {
  return email_verification_required && email_verified === 0
}

/** True if a signed-in user can do nothing but verify the address. A synthetic one has no mailbox. */
export function lacksRequiredVerification(
  rule: Rule,
  user: { readonly email: string; readonly email_verified: number },
): boolean {
  return lacksVerification(rule, user) && !isSynthetic(user.email)
}
