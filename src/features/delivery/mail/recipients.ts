import type { MailKind } from '../../../database/schema/mail.ts'
import type { Meta } from '../../../database/store.ts'
import { isSynthetic } from '../../../rules/email.ts'
import { findUserByEmail } from '../../people/users/statements.ts'

/** They go to addresses without an account too. */
const TO_ANY_ADDRESS: ReadonlySet<MailKind> = new Set([
  'email-change',
  'notice to a former address',
  'organization invitation',
])

/**
 * Requests queue a mail for any address they name. Whether there is an account for it is looked up only here,
 * where no caller can measure the time.
 */
export async function shouldReceive(meta: Meta, kind: MailKind, email: string): Promise<boolean> {
  if (isSynthetic(email)) return false
  if (TO_ANY_ADDRESS.has(kind)) return true
  const user = await findUserByEmail(meta, email)
  if (!user) return false
  if (kind === 'announcement') return user.email_verified === 1 && user.suspended_at === null
  return kind !== 'email-verification' || user.email_verified === 0
}
