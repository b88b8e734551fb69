import type { EventType } from '../../rules/event-types.ts'

/**
 * Written in the same batch as the change it reports. The audit log shows rows with an action, and products receive
 * rows with a type. A row outlives its user, which a foreign key would forbid.
 */
export interface EventTable {
  id: string
  created_at: number
  /** The audit log's word for it; '' if the row is not part of the audit log. */
  action: string
  actor_id: string | null
  subject_type: string | null
  subject_id: string | null
  ip: string | null
  details: string
  /** The type that products are sent; null if the row is for the audit log only. */
  type: EventType | null
  /** The organisation in which it happened; null for none. */
  organization_id: string | null
  /** The user it concerns; null if it concerns everybody. */
  user_id: string | null
  /** JSON. */
  data: string | null
  /** The place in the single, ever growing order of events; null until the relay assigns it. */
  position: number | null
}

/** One row: the last position assigned. Its lock makes positions visible in order. */
export interface EventOrderTable {
  id: 'global'
  last: number
  /** The last position whose event was deleted because its time was over. */
  swept: number
}

/** Rows for `event` that are still in a shard. They do not move with the user. */
export interface EventOutboxTable {
  id: string
  created_at: number
  /** The rest of the row, JSON. */
  row: string
}

/** The address of a refused sign-in, which may be nobody's. Deleted with its entry in the log. */
export interface RefusedAddressTable {
  event_id: string
  /** Keyed, so that only somebody who knows the address finds it. */
  address_hash: string
  masked: string
}
