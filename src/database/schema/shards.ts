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
  /** What the user's balance begins with, as the settings had it at the creation. */
  signup_reward: number
  /** Attempts at moving this user, ever: the newest one fences off those before it. */
  moves: number
}

/** A move under way; outlives the user it names, so that a copy is never left behind. */
export interface ShardMovesTable {
  user_id: string
  from_shard: string
  to_shard: string
  attempt: number
  claimed_at: number
}

/** Names a user who is gone, so it has no foreign key. */
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
 * `held` while the user is copied to another shard, `arriving` where the copy is made, `gone` once moved away
 * or erased.
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
