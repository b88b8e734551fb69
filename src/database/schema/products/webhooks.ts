import type { Flag } from '../flag.ts'

/** An endpoint of a product. */
export interface WebhookTable {
  id: string
  /** The name by which a file of settings finds it. */
  key: string | null
  /** The application that is notified when its sessions end; null for an endpoint of events. */
  application_id: string | null
  url: string
  /** JSON; an empty array means all. */
  types: string
  enabled: Flag
  sealed: string
  /** The secret before the last rotation; it also signs, until `former_until`. */
  former_sealed: string | null
  former_until: number | null
  /** The position up to which deliveries have been written. */
  position: number
  created_at: number
  updated_at: number
  last_taken_at: number | null
  failing_since: number | null
  switched_off_at: number | null
  /** The process that is working on it, until the lease ends. */
  claimed_by: string
  claimed_until: number
}

export type DeliveryState = 'pending' | 'delivered' | 'failed'

export interface WebhookDeliveryTable {
  id: string
  webhook_id: string
  event_id: string
  position: number
  type: string
  user_id: string | null
  state: DeliveryState
  tries: number
  created_at: number
  /** When its three days of attempts began: at its creation, or when it was last sent again. */
  begun_at: number
  next_attempt_at: number
  last_attempt_at: number | null
  status: number | null
  answer: string | null
  error: string | null
  milliseconds: number | null
  /** Set for a test only; an event's body is built from the event. */
  body: string | null
}
