export interface InstanceTable {
  name: string
  value: string
}

export interface SchemaMigrationTable {
  name: string
  applied_at: number
}

/** The response to a request with an `Idempotency-Key`, in the store of its write. */
export interface IdempotencyKeysTable {
  /** A digest of user, program, route and key. */
  id: string
  user_id: string
  /** A digest of the input. */
  fingerprint: string
  /** JSON. */
  answer: string
  created_at: number
}

export interface KeyValueTable {
  key: string
  value: string
  expires_at: number
}

/** Counts rows of other tables, so that a total needs no scan. Triggers write them (`migrations/counting.ts`). */
export interface RowCountsTable {
  kind: 'audit_entry' | 'user' | 'sign_up' | 'notification' | 'organization'
  /**
   * The action, the status of an organisation, or the number of the day since the epoch for sign-ups; '' for users and for the notifications that
   * everybody can see.
   */
  value: string
  /** 0 for the counter; anything else is to be added to it. */
  part: number
  total: number
}
