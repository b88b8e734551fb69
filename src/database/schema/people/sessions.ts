export interface SessionTable {
  id: string
  user_id: string
  token_hash: string
  created_at: number
  /** Start of the current 30 days: creation, or the last refresh. */
  refreshed_at: number
  expires_at: number
  last_used_at: number
  /** When its user last showed a credential after the sign-in; 0 for never. */
  confirmed_at: number
  ip: string | null
  user_agent: string | null
  place: string | null
  /** Those that the user chose last; they count while the user is a member. */
  active_organization_id: string | null
  active_team_id: string | null
  /** The administrator who acts as the user in it. */
  acted_by: string | null
}

/** A sign-in that has passed its first step and needs a second. */
export interface PendingSignInTable {
  token_hash: string
  user_id: string
  /** The first step: an account's provider, or `passkey`. */
  first_step: string
  cookie_life: 'lasting' | 'until the browser closes'
  /** The address the browser goes to afterwards. */
  return_address: string | null
  created_at: number
  expires_at: number
}

/** A network from which the user has signed in. */
export interface KnownNetworkTable {
  user_id: string
  /** An IPv4 address, or the /64 of one IPv6 customer. */
  network: string
  /** The last time. */
  signed_in_at: number
}

/** A browser that skips the second step. */
export interface TrustedDeviceTable {
  id: string
  user_id: string
  token_hash: string
  created_at: number
  expires_at: number
  last_used_at: number
  ip: string | null
  user_agent: string | null
  place: string | null
}

/** An administrator acts as a user, in a session of that user's which has the same id. */
export interface ImpersonationTable {
  id: string
  user_id: string
  administrator_id: string
  /** It ends with this session, from which it began. */
  administrator_session_id: string
  reason: string | null
  mode: 'read_only' | 'read_and_write'
  started_at: number
  ended_at: number | null
}

/** A request that may have changed something. */
export interface ImpersonationActTable {
  id: string
  impersonation_id: string
  user_id: string
  route: string
  at: number
}
