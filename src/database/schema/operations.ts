export interface NotificationsTable {
  id: string
  type: string
  title: string
  content: string
  target_user_id: string | null
  created_at: number
  updated_at: number
  archived_at: number | null
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
  status: FeedbackStatus
  note: string
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
  /** What a user's take; null until it is first needed, and for the other kinds. */
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
