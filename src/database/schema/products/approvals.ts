/** A call of a grant that waits for its user, and what became of it. */
export interface ApprovalTable {
  id: string
  grant_id: string
  user_id: string
  method: string
  path: string
  /**
   * JSON: a string that seals what is shown and done; the text `null` once it was decided or has expired. Version 0.3.0
   * wrote the plain object.
   */
  input: string
  /** Keyed digest of the input, to recognise a call that is repeated under the same key; null from version 0.3.0. */
  fingerprint: string | null
  state: 'pending' | 'approved' | 'denied'
  /** The call's `Idempotency-Key`, after the service's id and a line break if a service asked. */
  key: string | null
  /** The scopes of the token that asked; null if an older program wrote the row. */
  scopes: string | null
  /** The exchanged token that asked, if any; the call is carried out only while it is valid. */
  token_hash: string | null
  /** The service that asked with that token. */
  actor_id: string | null
  /** JSON: status and body of the response, not sealed. Only version 0.3.0 writes it. */
  result: string | null
  /** The same, sealed. Null until the call was carried out, and once its program has the result. */
  sealed_result: string | null
  /** When a letter about it is due; null if none is, or an open page has told its user. */
  letter_at: number | null
  /** When its program was given the result. */
  collected_at: number | null
  created_at: number
  /** The deadline for the decision; after an approval, for fetching the result. */
  expires_at: number
}

/** One call of a grant. */
export interface GrantActTable {
  id: string
  grant_id: string
  path: string
  ip: string | null
  approval_id: string | null
  /** The application that used or requested an exchanged token, or introspected one. */
  actor_id: string | null
  status: number
  /** The code of a refusal; null also if a 0.3.0 process wrote the row. */
  code: string | null
  created_at: number
}
