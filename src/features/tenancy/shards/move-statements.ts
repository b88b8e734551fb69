import { type Compilable, type Expression, sql } from 'kysely'
import type { ShardMovesTable } from '../../../database/schema/shards.ts'
import { integer } from '../../../database/sql/integer.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import { renewMoment } from './copies.ts'
import { activeShard, assignmentOf, lockAssignment } from './statements.ts'

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
 * Begins a move, or takes over one that was begun. Undefined if the user is already there or is being moved to
 * another shard, or if the shard of a move that would begin is being drained. First locks the user's assignment and
 * the move, so that one attempt at a time continues and no move ends in between.
 */
export async function claimMove(
  meta: Meta,
  claim: Claim,
  besideIf?: (begins: Expression<unknown>) => Compilable<unknown>,
): Promise<ShardMovesTable | undefined> {
  const { userId, fromShard, toShard, after, now } = claim
  const underWay = meta.selectFrom('shard_moves').select('to_shard').where('user_id', '=', userId)
  const begins = assignmentOf(meta, userId)
    .select('user_id')
    .where('shard_id', '=', fromShard)
    .where('shard_id', '<>', toShard)
    .where(({ not, exists }) => not(exists(underWay)))
    .where(({ exists }) => exists(activeShard(meta, toShard)))
  const resumption = meta
    .updateTable('shard_moves')
    .set((eb) => ({
      claimed_at: now,
      attempt: eb.fn.coalesce(assignedMoves(userId), eb('attempt', '+', 1)),
    }))
    .where('user_id', '=', userId)
    .where('to_shard', '=', toShard)
    .returningAll()
  const beginning = beginMove(meta, claim)
  const rows = await meta.batch([
    lockAssignment(meta, userId),
    underWay.$call(lockRows(meta)),
    besideIf?.(begins) ?? lockAssignment(meta, userId),
    meta
      .updateTable('user_shards')
      .set({
        moves: sql<number>`1 + case when moves < ${integer(after)} then ${integer(after)} else moves end`,
      })
      .where('user_id', '=', userId)
      .where(({ not, exists }) => not(exists(underWay.where('to_shard', '<>', toShard)))),
    resumption,
    beginning,
    renewMoment(meta),
  ])
  return rows.of(resumption)[0] ?? rows.of(beginning)[0]
}

/** In the batch of `claimMove`, which has locked the assignment. */
function beginMove(meta: Meta, { userId, fromShard, toShard, now }: Claim) {
  return meta
    .insertInto('shard_moves')
    .columns(['user_id', 'from_shard', 'to_shard', 'attempt', 'claimed_at'])
    .expression((db) =>
      db
        .selectFrom('user_shards')
        .select([
          'user_id',
          'shard_id as from_shard',
          sql.val(toShard).as('to_shard'),
          'moves as attempt',
          integer(now).as('claimed_at'),
        ])
        .where('user_id', '=', userId)
        .where('shard_id', '=', fromShard)
        .where('shard_id', '<>', toShard)
        .where(({ exists }) => exists(activeShard(meta, toShard))),
    )
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .returningAll()
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

type Ending = 'moved' | 'erased'

/**
 * False if the move cannot end like that: `moved` needs the user, `erased` needs the user to be gone. The
 * attempt is checked again after a wait. A deleted assignment never returns; for one that is deleted meanwhile
 * there is an erasure.
 */
export async function endMove(meta: Meta, move: ShardMovesTable, ending: Ending): Promise<boolean> {
  const rows = await meta
    .deleteFrom('shard_moves')
    .where('user_id', '=', move.user_id)
    .where('attempt', '=', move.attempt)
    .where(({ exists, not, selectFrom }) => {
      const assignment = exists(
        selectFrom('user_shards').select('user_id').where('user_id', '=', move.user_id),
      )
      return ending === 'moved' ? assignment : not(assignment)
    })
    .returning('user_id')
    .execute()
  return rows.length === 1
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

/** In the order of their ids, after `after`. */
export async function usersOn(
  meta: Meta,
  shardId: string,
  after: string,
  limit: number,
): Promise<readonly string[]> {
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
