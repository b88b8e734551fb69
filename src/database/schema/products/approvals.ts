/** A call of a grant that waits for its user, and what became of it. */
export interface ApprovalTable {
  id: string
  grant_id: string
  user_id: string
  method: string
  path: string
  /** JSON: what is shown, and what is done. */
  input: string
  state: 'pending' | 'approved' | 'denied'
  /** The call's `Idempotency-Key`, after the service's id and a line break if a service asked. */
  key: string | null
  /** Of the token that asked; null if an older program wrote the row. */
  scopes: string | null
  /** Of a token from a token exchange, without which the call is not carried out. */
  token_hash: string | null
  /** The service that asked with that token. */
  actor_id: string | null
  /** JSON: status and body of the response. Null until it was carried out. */
  result: string | null
  created_at: number
  expires_at: number
}

/** One call of a grant. */
export interface GrantActTable {
  id: string
  grant_id: string
  path: string
  ip: string | null
  approval_id: string | null
  /** The service that made it with an exchanged token. */
  actor_id: string | null
  status: number
  created_at: number
}
