import type { Flag } from './flag.ts'

export type NotificationKind = 'approval' | 'reply'

export interface NotificationsTable {
  id: string
  type: string
  title: string
  content: string
  target_user_id: string | null
  /** An https address, or a path of the product. */
  link: string | null
  level: 'info' | 'success' | 'warning'
  also_email: Flag
  /** What the service itself tells; null for what somebody has written. */
  kind: NotificationKind | null
  /** JSON, with which a kind is put into words; null without one. */
  data: string | null
  /** `until`: it waits for `publish_at`. `audience`: each of its people has a row of their own. */
  held: 'until' | 'audience' | null
  publish_at: number | null
  /** JSON: the filter by which its people are found when it is published. */
  audience: string | null
  /** The last person who has a row; null unless rows are being written. */
  after_user_id: string | null
  /** The number of people who got a row. */
  reached: number | null
  /** The notification for an audience to which this row belongs. */
  parent_id: string | null
  created_at: number
  updated_at: number
  /** Set while it is held, too. */
  archived_at: number | null
}

/** When users want letters about a type. Without a row: one letter each. */
export interface NotificationPreferenceTable {
  user_id: string
  type: string
  email: 'off' | 'each' | 'daily'
}

/** A notification whose letters are not complete yet: some users have not been considered. */
export interface AnnouncementTable {
  notification_id: string
  /** Users are taken in the order of their ids. */
  after_user_id: string
}

/** A line of a user's next daily letter. */
export interface DigestEntryTable {
  user_id: string
  notification_id: string
  due_at: number
}

export interface NotificationReadsTable {
  notification_id: string
  user_id: string
}

export interface BetaCodesTable {
  code: string
  used_by: string | null
  created_at: number
  used_at: number | null
}

type FeedbackStatus = 'new' | 'in_progress' | 'done'

export interface FeedbacksTable {
  id: string
  user_id: string
  type: string
  content: string
  /** The searchable form; null if lower-casing the content gives the same. */
  folded_content: string | null
  status: FeedbackStatus
  note: string
  /** Flat text values, as JSON. */
  context: string
  /** '' until the administrator has answered. */
  reply: string
  replied_at: number | null
  /** The last person who answered it or changed its state or note. Null if nobody has, or if an older program wrote it. */
  handled_by: string | null
  created_at: number
  updated_at: number
}

/**
 * Counts rows, so that a total needs no scan. Spread over slots, so that writers do not all wait for one row.
 */
export interface FeedbackCountsTable {
  kind: 'all' | 'type' | 'user'
  /** '' for `all`. */
  value: string
  slot: number
  feedbacks: number
  /** Bytes used by one user; null until first needed, and for other kinds. */
  bytes: number | null
}

export interface CreditBalanceTable {
  user_id: string
  balance: number
}

export interface CreditEntriesTable {
  id: string
  user_id: string
  amount: number
  balance_after: number
  source_type: string
  source_id: string
  created_at: number
}

/** An answer to feedback that is often given. */
export interface SavedReplyTable {
  id: string
  name: string
  text: string
  created_at: number
}

/** Filters of a list of the console under a name. */
export interface SavedViewTable {
  id: string
  list: 'users' | 'audit' | 'feedback' | 'notifications'
  name: string
  /** JSON. */
  filters: string
  created_at: number
}
