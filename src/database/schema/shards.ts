export type ShardState = 'active' | 'draining'

export interface ShardsTable {
  id: string
  region: string
  state: ShardState
  created_at: number
}

export interface UserShardsTable {
  user_id: string
  shard_id: string
  created_at: number
  /** The user's initial balance, from the settings at creation. */
  signup_reward: number
  /** Number of attempts at moving this user: the newest one fences off earlier ones. */
  moves: number
}

/** A move under way. It outlives the user it names, so that no copy is left behind. */
export interface ShardMovesTable {
  user_id: string
  from_shard: string
  to_shard: string
  attempt: number
  claimed_at: number
}

/** Names a deleted user, so it has no foreign key. */
export interface ErasureTable {
  id: string
  user_id: string
  shard_id: string
  requested_by: string
  created_at: number
  done_at: number | null
  attempts: number
}

/**
 * `held` while the user is copied to another shard, `arriving` in the shard that receives the copy, `gone`
 * once moved or erased.
 */
export type ResidentState = 'open' | 'held' | 'arriving' | 'gone'

/** Locked by each write of this user. */
export interface ResidentsTable {
  user_id: string
  state: ResidentState
  writes: number
  /** The newest attempt at moving the user that has reached this row. */
  attempt: number
}
