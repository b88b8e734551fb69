import type { CodePurpose } from './people/account.ts'

/**
 * Codes, notices that tell owners about changes to their account, also at an address that it no longer has, and
 * notifications that are also mailed.
 */
export type MailKind =
  | CodePurpose
  | 'organization invitation'
  | 'notice'
  | 'notice to a former address'
  | 'announcement'

interface QueueTable {
  id: string
  kind: MailKind
  sealed: string
  created_at: number
  expires_at: number
  attempts: number
  next_attempt_at: number
  claimed_until: number
  last_error: string | null
}

/** Sealed: the recipient and what the letter is about. It is put into words when it is sent. */
export type LetterQueueTable = QueueTable

/** Announcements, and every letter of 0.3.0. Sealed: recipient, subject and bodies. */
export interface MailQueueTable extends QueueTable {
  /** The user and type to unsubscribe; only for announcements. */
  about: string | null
}
