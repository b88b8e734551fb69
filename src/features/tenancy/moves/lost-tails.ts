import type { ShardMovesTable } from '../../../database/schema/shards.ts'
import type { Platform } from '../../../platform/platform.ts'
import { findResident, MoveTakenOver, stepOfMove } from '../shards/holding.ts'
import * as store from '../shards/move-statements.ts'
import { shardIdOf } from '../shards/statements.ts'
import { MoveRefused, type UserMove } from './user-move.ts'

// A failover or an older backup of one store undoes the last writes there, while the other stores keep theirs.

type Ends = Pick<UserMove, 'userId' | 'from' | 'to'>

async function residentsOf({ userId, from, to }: Ends) {
  const [old, copy] = await Promise.all([findResident(from, userId), findResident(to, userId)])
  return { old, copy }
}

/** The next attempt needs a higher number, which the global store can have forgotten. */
export async function newestAttempt(ends: Ends): Promise<number> {
  const { old, copy } = await residentsOf(ends)
  return Math.max(old?.attempt ?? 0, copy?.attempt ?? 0)
}

/**
 * True if the new shard already has the user's rows: the global store has lost the switch of a move, while the shards
 * keep its other steps. Refuses a move to a shard that has other rows of the user, and one that would leave the rows
 * behind.
 */
export async function hasArrived(platform: Platform, ends: Ends): Promise<boolean> {
  const { userId, from, to } = ends
  const { old, copy } = await residentsOf(ends)
  if (old?.state === 'gone') {
    if (copy && copy.state !== 'gone') return true
    await refuseToLeaveRows(platform, ends)
  }
  if (copy?.state !== 'open') return false
  if (old?.state === 'held' && copy.attempt >= old.attempt) return true
  // Another process has switched it meanwhile.
  if ((await shardIdOf(platform.meta, userId)) !== from.name) return true
  throw new MoveRefused(`${to.name} has rows of ${userId} that do not belong there; see shards verify`)
}

async function refuseToLeaveRows({ meta, shards }: Platform, { userId, from }: Ends): Promise<void> {
  // Another process has switched it meanwhile.
  if ((await shardIdOf(meta, userId)) !== from.name) return
  for (const shard of shards.values()) {
    const resident = await findResident(shard, userId)
    if (!resident || resident.state === 'gone') continue
    throw new MoveRefused(`the rows of ${userId} are in ${shard.name}, not in ${from.name}; move the user there`)
  }
}

/** The old shard is not held by this attempt any more, so the user may have written there. */
export async function refuseUnlessHeld({ userId, from, attempt }: UserMove): Promise<void> {
  const old = await findResident(from, userId)
  if (old?.state !== 'held' || old.attempt !== attempt) throw new MoveTakenOver(userId)
}

/**
 * The home has been switched, but the new shard may have lost what was copied before, and the old one still has it. Once
 * the new shard is open, it is known to have everything, and only then are the rows erased in the old one.
 */
export async function isCopyUncertain(ends: Ends): Promise<boolean> {
  const { userId, from, to } = ends
  const { old, copy } = await residentsOf(ends)
  if (old?.state !== 'held') return false
  if (copy?.state !== 'open') return true
  if (copy.attempt >= old.attempt) return false
  throw new MoveRefused(`${to.name} has lost rows of ${userId} that were moved there; ${from.name} still has them`)
}

/** Makes the old shard the user's home again. An earlier attempt can no longer open the new one. */
export async function switchBack({ meta }: Platform, move: ShardMovesTable, userMove: UserMove): Promise<void> {
  await stepOfMove(userMove.to, userMove, 'fence')
  const back = { ...move, from_shard: move.to_shard, to_shard: move.from_shard }
  if (!(await store.switchHome(meta, back))) throw new MoveTakenOver(userMove.userId)
}
