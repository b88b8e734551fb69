import type { CodePurpose } from './people/identity.ts'

/** Codes, and notices that tell owners about changes to their account. */
export type MailKind = CodePurpose | 'notice'

export interface MailQueueTable {
  id: string
  kind: MailKind
  /** Recipient, subject and bodies, sealed. */
  sealed: string
  created_at: number
  expires_at: number
  attempts: number
  next_attempt_at: number
  claimed_until: number
  last_error: string | null
}
