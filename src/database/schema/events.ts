import type { EventType } from '../../rules/event-types.ts'

/**
 * What happened, written in the batch that made it happen. The audit log shows the rows with an action, products
 * the rows with a type. Outlives the users it names, so it has no foreign key.
 */
export interface EventTable {
  id: string
  created_at: number
  /** Of the audit log; '' if the row is not part of it. */
  action: string
  actor_id: string | null
  subject_type: string | null
  subject_id: string | null
  ip: string | null
  details: string
  /** What products are sent; null if the row is for the audit log only. */
  type: EventType | null
  /** Whom it concerns; null if it concerns everybody. */
  user_id: string | null
  /** JSON. */
  data: string | null
  /** In the one order, which only grows; null until the relay has placed the row. */
  position: number | null
}

/** One row: the last position given. Its lock makes positions visible in their order. */
export interface EventOrderTable {
  id: 'global'
  last: number
}

/** Rows for `event`, on their way out of a shard. A user's move leaves them where they are. */
export interface EventOutboxTable {
  id: string
  created_at: number
  /** The rest of the row, JSON. */
  row: string
}
