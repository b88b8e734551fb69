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
