import type { GrantKind } from '../../../rules/caller.ts'
import type { Flag } from '../flag.ts'

export interface ApiGrantTable {
  id: string
  user_id: string
  client_id: string
  client_name: string
  target_origin: string
  kind: GrantKind
  /** The resource its tokens are for; null for this service. */
  resource: string | null
  /** Separated by spaces, without the scopes the command-line client always has. */
  scopes: string
  /** 1 if there are refresh tokens. */
  is_offline: Flag
  /** Set for an application: when the user last showed a credential, and in which session. */
  auth_time: number | null
  session_id: string | null
  /** Calls per day; null for no limit. */
  daily_limit: number | null
  /** The calls that wait for the user's approval. */
  approval: 'none' | 'writes' | 'everything'
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
  /** The organisation it acts in, for good; null for none. */
  organization_id: string | null
  /** Extended by each refresh. */
  expires_at: number
}

type AuthorizationState = 'pending' | 'approved' | 'denied' | 'redeemed'

export interface AuthorizationRequestTable {
  id: string
  flow: 'code' | 'device'
  state: AuthorizationState
  client_id: string
  client_name: string
  target_origin: string
  kind: Exclude<GrantKind, 'service' | 'personal'>
  resource: string | null
  scopes: string
  is_offline: Flag
  nonce: string | null
  /** The user must have shown a credential since then to decide. */
  proof_after: number | null
  /** 1 if the user has agreed before, and only has to sign in again. */
  only_sign_in: Flag
  auth_time: number | null
  /** The session that decided; while a device waits for a decision, the one that entered its code. */
  session_id: string | null
  user_id: string | null
  /** The organisation that the grant will act in; null for none. */
  organization_id: string | null
  /** The resulting grant, once redeemed. */
  grant_id: string | null
  redirect_uri: string | null
  client_state: string | null
  /** Null: in the query of the redirect. */
  response_mode: 'form_post' | 'fragment' | null
  /** Null if the client sent none. */
  code_challenge: string | null
  code_hash: string | null
  user_code: string | null
  device_code_hash: string | null
  interval_seconds: number
  last_polled_at: number | null
  ip: string
  user_agent: string
  created_at: number
  /** When the request expires; once it is approved, when its code expires. */
  expires_at: number
}

/** Scopes a user has allowed an application; more than these needs another consent. */
export interface ConsentTable {
  user_id: string
  client_id: string
  scopes: string
  /** The organisation that the application was allowed to act in; null for none. */
  organization_id: string | null
  created_at: number
}

/** Kept until the application has been notified that the session ended. */
export interface ApplicationSignInTable {
  application_id: string
  session_id: string
  user_id: string
  created_at: number
}

export interface AccessTokenTable {
  token_hash: string
  grant_id: string
  /** The resource it is for; never more than its grant. */
  resource: string | null
  scopes: string
  /** Hash of the token that it was exchanged for; null if a user gave it. */
  subject_hash: string | null
  /** The service that acts with it for the user. */
  actor_id: string | null
  /** JSON: that service, and those that acted before it (RFC 8693 section 4.1). */
  act: string | null
  created_at: number
  expires_at: number
}

export interface RefreshTokenTable {
  token_hash: string
  grant_id: string
  used_at: number | null
  /** Keyed digest of the network and user agent that used it; null until then. */
  rotated_from: string | null
  created_at: number
  expires_at: number
}
