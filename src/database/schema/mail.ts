import type { CodePurpose } from './people/identity.ts'

/** Codes, notices that tell owners about changes to their account, and notifications that are also mailed. */
export type MailKind = CodePurpose | 'notice' | 'announcement'

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
  /** Of an announcement: the user and type that it can be unsubscribed by. */
  about: string | null
}
