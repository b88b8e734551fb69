import type { Compilable, Kysely } from 'kysely'
import { currentReadPosition } from '../../../database/current-request.ts'
import type { Rows } from '../../../database/decision.ts'
import { prepared } from '../../../database/prepared.ts'
import type { ShardTables } from '../../../database/schema/tables.ts'
import { type Reads, type Shard, StoreUnavailable } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { signedOutMeanwhile } from '../../../rules/refusal.ts'
import { getShard } from './shards.ts'
import { findHome } from './statements.ts'

// Each further turn needs another complete move between two statements.
const TURNS = 5

type Read<Queries> = (shard: Shard) => Queries

/** The rows, and the shard that had them. */
interface ReadRows<Queries extends readonly Compilable<unknown>[]> {
  readonly shard: Shard
  readonly rows: Rows<Queries>
}

/**
 * Every read of a user's own data goes through here: the rows come in one snapshot with the user's state in
 * that shard, and if the user is not there any more, or not yet, they are read from the user's current shard.
 */
export async function readAs<const Queries extends readonly Compilable<unknown>[]>(
  platform: Platform,
  shard: Shard,
  userId: string,
  read: Read<Queries>,
): Promise<ReadRows<Queries>> {
  const { resident, rows } = await look(shard, userId, read, 'routed')
  if (resident ? isWhole(resident) : hasNoReplica(shard)) return { shard, rows }
  const found = await readOf(platform, userId, read)
  if (!found) throw signedOutMeanwhile()
  currentReadPosition()?.ownShard(found.shard.name)
  return found
}

/**
 * Reads any user's data for the administrator, and never from a replica, since the bookmark is the administrator's.
 * Undefined for a deleted user.
 */
export async function readOf<const Queries extends readonly Compilable<unknown>[]>(
  platform: Platform,
  userId: string,
  read: Read<Queries>,
): Promise<ReadRows<Queries> | undefined> {
  for (let turn = 1; turn <= TURNS; turn++) {
    const home = await findHome(platform.meta, userId)
    if (!home) return undefined
    const shard = getShard(platform, home.shard_id)
    const { resident, rows } = await look(shard, userId, read, 'primary')
    // Without a row, the user has no data here yet.
    if (!resident || isWhole(resident) || isSwitchedTo(resident, home)) return { shard, rows }
  }
  throw new StoreUnavailable(userId)
}

async function look<const Queries extends readonly Compilable<unknown>[]>(
  shard: Shard,
  userId: string,
  read: Read<Queries>,
  from: Reads,
) {
  const [[resident], ...rows] = await shard.snapshot([stateOf(shard, { userId }), ...read(shard)], from)
  // The state comes first, then the requested rows, in order.
  return { resident, rows: rows as unknown as Rows<Queries> }
}

/**
 * Without a row, a user whose home this is has no data yet, since a move inserts the row in the shard that it empties.
 * A replica may lack the row of a user who has data.
 */
function hasNoReplica(shard: Shard): boolean {
  return shard.replicas().length === 0
}

type Resident = Pick<ShardTables['residents'], 'state' | 'attempt'>

/** The shard's rows are complete. A held user's rows are complete too, until the move switches. */
function isWhole({ state }: Resident): boolean {
  return state === 'open' || state === 'held'
}

/** The copy that the global store has switched to but that is not open yet; no later attempt has touched it. */
function isSwitchedTo({ state, attempt }: Resident, home: { readonly moves: number }): boolean {
  return state === 'arriving' && attempt <= home.moves
}

const stateOf = prepared({ userId: '' }, (db: Kysely<ShardTables>, { userId }) =>
  db.selectFrom('residents').select(['state', 'attempt']).where('user_id', '=', userId),
)
