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
  /** The call's `Idempotency-Key`. */
  key: string | null
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
