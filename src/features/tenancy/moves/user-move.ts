import type { ShardMovesTable } from '../../../database/schema/shards.ts'
import type { Shard } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { OperatorError } from '../../../rules/operator-error.ts'
import { MoveTakenOver } from '../shards/holding.ts'
import * as store from '../shards/move-statements.ts'
import { getShard } from '../shards/shards.ts'

/** A line for the operator; nothing was changed. */
export class MoveRefused extends OperatorError {}

export function unknownShard(shardId: string): MoveRefused {
  return new MoveRefused(`there is no shard ${shardId}; see \`gatehouse shards list\``)
}

/**
 * The user was deleted, or another process is moving the user elsewhere. Emptying a shard continues without
 * the user.
 */
export class NotToBeMoved extends MoveRefused {}

/** The user does not exist, or no longer does. */
export class UserGone extends NotToBeMoved {}

export const STEPS = ['claimed', 'held', 'cleared', 'copied', 'compared', 'switched', 'opened', 'erased'] as const
export type Step = (typeof STEPS)[number]
/** Called after each step is durable, after `copied` once for each page. */
export type OnStep = (step: Step) => Promise<void> | void

export interface UserMove {
  readonly userId: string
  readonly attempt: number
  readonly from: Shard
  readonly to: Shard
  /** Called regularly, so that a long move does not seem abandoned. */
  beat(): Promise<void>
}

const BEAT_MILLISECONDS = 5_000

export function userMoveOf(platform: Platform, move: ShardMovesTable): UserMove {
  const { user_id, attempt, from_shard, to_shard } = move
  let beaten = move.claimed_at
  return {
    userId: user_id,
    attempt,
    from: getShard(platform, from_shard),
    to: getShard(platform, to_shard),
    async beat() {
      const now = platform.now()
      if (now - beaten < BEAT_MILLISECONDS) return
      beaten = now
      if (!(await store.touchMove(platform.meta, move, now))) throw new MoveTakenOver(user_id)
    },
  }
}

export async function reportStep(userMove: UserMove, step: Step, onStep: OnStep): Promise<void> {
  await userMove.beat()
  await onStep(step)
}
