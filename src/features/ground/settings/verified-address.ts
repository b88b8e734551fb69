import { isSynthetic } from '../../../rules/email.ts'
import type { Settings } from './model.ts'

interface Addressed {
  readonly email: string
  readonly email_verified: number
}

/** True if the user can do nothing but verify the address. A synthetic one has no mailbox. */
export function lacksRequiredVerification(
  { email_verification_required }: Settings['authentication'],
  { email, email_verified }: Addressed,
): boolean {
  return email_verification_required && email_verified === 0 && !isSynthetic(email)
}
