import { sql } from 'kysely'
import type { ShardMovesTable } from '../../../database/schema/shards.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import { type Doer, decide } from '../../ground/acts/acts.ts'
import { assignmentOf, heldShard } from './statements.ts'
import { renewMoment } from './store.ts'

export function findMove(meta: Meta, userId: string) {
  return meta.primary.selectFrom('shard_moves').selectAll().where('user_id', '=', userId).executeTakeFirst()
}

interface Claim {
  readonly userId: string
  /** The user's last known shard; the move only begins if that is still true. */
  readonly fromShard: string
  readonly toShard: string
  /** The newest attempt that the shards have seen. */
  readonly after: number
  readonly now: number
}

/**
 * Begins a move, or takes over one that was begun. Undefined if the user is gone, already there or being moved to
 * another shard, or if the shard of a move that would begin is being drained. An administrator's order is recorded with
 * the move that begins.
 */
export function claimMove(
  doer: Doer,
  { userId, fromShard, toShard, after, now }: Claim,
): Promise<ShardMovesTable | undefined> {
  const { meta } = doer.platform
  return decide(
    doer,
    [lockedAssignment(meta, userId), lockedMove(meta, userId), heldShard(meta, toShard)],
    async (act, [assignment], [underWay], [active]) => {
      if (!assignment) return undefined
      const attempt = Math.max(assignment.moves, after) + 1
      if (underWay) {
        if (underWay.to_shard !== toShard) return undefined
        const move = { ...underWay, claimed_at: now, attempt }
        act.write(continueMove(meta, move), setMoves(meta, move), renewMoment(meta))
        return move
      }
      if (assignment.shard_id !== fromShard || fromShard === toShard || !active) return undefined
      const ends = { from_shard: fromShard, to_shard: toShard }
      const move = { user_id: userId, ...ends, attempt, claimed_at: now }
      act.write(beginMove(meta, move), setMoves(meta, move), renewMoment(meta))
      const details = { from: fromShard, to: toShard }
      if (doer.caller) act.record('user.move', { subject: { type: 'user', id: userId }, details })
      return move
    },
  )
}

function lockedAssignment(meta: Meta, userId: string) {
  return assignmentOf(meta, userId).select(['shard_id', 'moves']).$call(lockRows(meta))
}

function lockedMove(meta: Meta, userId: string) {
  return meta.selectFrom('shard_moves').selectAll().where('user_id', '=', userId).$call(lockRows(meta))
}

function setMoves(meta: Meta, { user_id, attempt }: ShardMovesTable) {
  return meta.updateTable('user_shards').set({ moves: attempt }).where('user_id', '=', user_id)
}

function beginMove(meta: Meta, move: ShardMovesTable) {
  return meta.insertInto('shard_moves').values(move)
}

function continueMove(meta: Meta, { user_id, claimed_at, attempt }: ShardMovesTable) {
  return meta.updateTable('shard_moves').set({ claimed_at, attempt }).where('user_id', '=', user_id)
}

// Columns for other queries; null if the user is gone.

export function assignedShard(userId: string) {
  return sql<string | null>`(select shard_id from user_shards where user_id = ${userId})`
}

export function assignedMoves(userId: string) {
  return sql<number | null>`(select moves from user_shards where user_id = ${userId})`
}

export function movesUnderWayOf(userId: string) {
  return sql<number>`(select count(*) from shard_moves where user_id = ${userId})`
}

/** Records that the move still runs. False if a newer attempt has begun. */
export async function touchMove(meta: Meta, move: ShardMovesTable, now: number): Promise<boolean> {
  const rows = await meta
    .updateTable('shard_moves')
    .set({ claimed_at: now })
    .where('user_id', '=', move.user_id)
    .where('attempt', '=', move.attempt)
    .returning('user_id')
    .execute()
  return rows.length === 1
}

/**
 * Switches the user's home, which is the decisive step of a move. False if a newer attempt has begun or the
 * user is gone.
 */
export async function switchHome(meta: Meta, move: ShardMovesTable): Promise<boolean> {
  const switching = meta
    .updateTable('user_shards')
    .set({ shard_id: move.to_shard })
    .where('user_id', '=', move.user_id)
    .where('shard_id', '=', move.from_shard)
    .where('moves', '=', move.attempt)
    .returning('user_id')
  const rows = await meta.batch([switching, renewMoment(meta)])
  return rows.of(switching).length === 1
}

/**
 * False if a newer attempt has begun or the user is gone. The assignment is not locked: a deleted one never returns,
 * and for one that is deleted meanwhile there is an erasure.
 */
export async function endMove(meta: Meta, move: ShardMovesTable): Promise<boolean> {
  const rows = await meta
    .deleteFrom('shard_moves')
    .where('user_id', '=', move.user_id)
    .where('attempt', '=', move.attempt)
    .where(({ exists }) => exists(assignmentOf(meta, move.user_id).select('user_id')))
    .returning('user_id')
    .execute()
  return rows.length === 1
}

/** Takes over the move of a deleted user. Undefined if it has ended, or the user is there. */
export function claimMoveOfDeleted(
  meta: Meta,
  { userId, after, now }: Pick<Claim, 'userId' | 'after' | 'now'>,
): Promise<number | undefined> {
  return meta.decide(
    [lockedAssignment(meta, userId), lockedMove(meta, userId)],
    async (decision, [assignment], [underWay]) => {
      if (assignment || !underWay) return undefined
      const attempt = Math.max(underWay.attempt, after) + 1
      decision.write(continueMove(meta, { ...underWay, claimed_at: now, attempt }))
      return attempt
    },
  )
}

/**
 * Works whichever attempt has taken the move over since: all of them find the user gone. Locks no assignment, since a
 * deleted one never returns.
 */
export async function endMoveOfDeleted(meta: Meta, userId: string): Promise<void> {
  await meta
    .deleteFrom('shard_moves')
    .where('user_id', '=', userId)
    .where(({ exists, not }) => not(exists(assignmentOf(meta, userId).select('user_id'))))
    .execute()
}

/** Moves that a process began and has not finished. */
export function movesClaimedBefore(meta: Meta, time: number) {
  return meta.primary
    .selectFrom('shard_moves')
    .selectAll()
    .where('claimed_at', '<', time)
    .orderBy('claimed_at')
    .limit(100)
    .execute()
}

export function movesFromOrTo(meta: Meta, shardId: string) {
  return meta.primary
    .selectFrom('shard_moves')
    .selectAll()
    .where((eb) => eb.or([eb('from_shard', '=', shardId), eb('to_shard', '=', shardId)]))
    .execute()
}

/** Ordered by id, after `after`. */
export async function usersOn(meta: Meta, shardId: string, after: string, limit: number): Promise<readonly string[]> {
  const rows = await meta.primary
    .selectFrom('user_shards')
    .select('user_id')
    .where('shard_id', '=', shardId)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
    .execute()
  return rows.map(({ user_id }) => user_id)
}

export async function countMoves(meta: Meta): Promise<number> {
  const { moves } = await meta.primary
    .selectFrom('shard_moves')
    .select((eb) => eb.fn.countAll<number>().as('moves'))
    .executeTakeFirstOrThrow()
  return moves
}
