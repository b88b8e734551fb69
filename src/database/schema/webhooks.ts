import type { Flag } from './flag.ts'

/** An endpoint of a product. */
export interface WebhookTable {
  id: string
  url: string
  /** JSON; empty: all. */
  types: string
  enabled: Flag
  sealed: string
  /** The secret before the last rotation, which signs too until then. */
  former_sealed: string | null
  former_until: number | null
  /** How far its deliveries have been written down. */
  position: number
  created_at: number
  updated_at: number
  last_taken_at: number | null
  failing_since: number | null
  switched_off_at: number | null
  /** The process that works on it, for as long as its lease lasts. */
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
  /** Of the three days for which it is tried: its making, or the last order to send it again. */
  begun_at: number
  next_attempt_at: number
  last_attempt_at: number | null
  status: number | null
  answer: string | null
  error: string | null
  milliseconds: number | null
  /** Of a test only; the body of an event is made of the event. */
  body: string | null
}
