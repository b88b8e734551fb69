import type { ShardMovesTable } from '../../../database/schema/shards.ts'
import { type Meta, type Shard, StoreUnavailable } from '../../../database/store.ts'
import { allEnded, type Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Doer } from '../../ground/acts/acts.ts'
import { countFeedbacks } from '../../operations/feedback/statements.ts'
import { decideAsMover, MoveTakenOver, moveIn, stepOfMove } from '../shards/holding.ts'
import * as store from '../shards/move-statements.ts'
import { getShard, shardStateOf } from '../shards/shards.ts'
import { shardIdOf } from '../shards/statements.ts'
import {
  BELONGINGS,
  type BelongingRow,
  eraseSome,
  fingerprintsOf,
  insertBelongings,
  pagesOf,
} from './belongings-store.ts'
import { abandonMove } from './erasing.ts'
import { hasArrived, isCopyUncertain, newestAttempt, refuseUnlessHeld, switchBack } from './lost-tails.ts'
import { MoveRefused, NotToBeMoved, type OnStep, reportStep, UserGone, type UserMove, userMoveOf } from './user-move.ts'

/**
 * Copies, compares, switches and erases one user's rows. A move that was begun continues from its last step, so it can
 * be interrupted at any moment and called again, even by several processes at once. If the user is deleted meanwhile,
 * it removes what it has copied, whatever it fails at. A move that an administrator orders is recorded when it begins.
 */
export async function moveUser(
  platform: Platform,
  userId: string,
  toShard: string,
  onStep: OnStep = () => undefined,
  administrator?: Doer,
): Promise<Outcome> {
  try {
    return await moveExisting(platform, userId, toShard, onStep, administrator)
  } catch (error) {
    if ((await shardIdOf(platform.meta, userId)) !== undefined) throw error
    await abandonMove(platform, userId)
    throw new UserGone(`there is no user ${userId}`, { cause: error })
  }
}

type Outcome = 'moved' | 'there already'

async function moveExisting(
  platform: Platform,
  userId: string,
  toShard: string,
  onStep: OnStep,
  administrator?: Doer,
): Promise<Outcome> {
  const move = await claim(platform, userId, toShard, administrator)
  if (!move) return 'there already'
  await onStep('claimed')
  const userMove = userMoveOf(platform, move)
  const home = await shardIdOf(platform.meta, userId)
  if (home === move.from_shard) await copyAndSwitch(platform, move, userMove, onStep)
  else if (home === move.to_shard && (await isCopyUncertain(userMove))) {
    await switchBack(platform, move, userMove)
    return moveExisting(platform, userId, toShard, onStep)
  }
  return settle(platform, move, userMove, onStep)
}

async function claim(platform: Platform, userId: string, toShard: string, administrator?: Doer) {
  const { meta, now } = platform
  const to = getShard(platform, toShard)
  const underWay = await moveUnderWay(meta, userId, toShard)
  const fromShard = await shardIdOf(meta, userId)
  if (fromShard === undefined) throw new MoveTakenOver(userId)
  const ends = { userId, from: getShard(platform, underWay?.from_shard ?? fromShard), to }
  if (!underWay) await refuseToBegin(platform, ends)
  const after = await newestAttempt(ends)
  const doer = administrator ?? { platform }
  const move = await store.claimMove(doer, { userId, fromShard, toShard, after, now: now() })
  if (move) return move
  const takenOver = await moveUnderWay(meta, userId, toShard)
  if ((await shardIdOf(meta, userId)) === toShard) return undefined
  if (!takenOver) await refuseUnlessActive(meta, toShard)
  throw new MoveTakenOver(userId)
}

async function refuseToBegin(platform: Platform, ends: Pick<UserMove, 'userId' | 'from' | 'to'>): Promise<void> {
  const { from, to } = ends
  await refuseUnlessActive(platform.meta, to.name)
  // A move that would be refused is not begun.
  if (from !== to) await hasArrived(platform, ends)
}

async function refuseUnlessActive(meta: Meta, shardId: string): Promise<void> {
  if ((await shardStateOf(meta, shardId)) !== 'active')
    throw new MoveRefused(`${shardId} is not an active shard; see \`gatehouse shards list\``)
}

/** Refuses if the user is being moved to another shard. */
async function moveUnderWay(meta: Meta, userId: string, toShard: string) {
  const move = await store.findMove(meta, userId)
  if (move && move.to_shard !== toShard)
    throw new NotToBeMoved(`${userId} is being moved to ${move.to_shard}; finish that move first`)
  return move
}

/** From here on the user's writes get a 503, until the switch. */
async function copyAndSwitch(
  platform: Platform,
  move: ShardMovesTable,
  userMove: UserMove,
  onStep: OnStep,
): Promise<void> {
  if (!(await hasArrived(platform, userMove))) {
    await copyAll(userMove, onStep)
    await refuseUnlessHeld(userMove)
  }
  if (!(await store.switchHome(platform.meta, move))) throw new MoveTakenOver(userMove.userId)
  await reportStep(userMove, 'switched', onStep)
}

async function copyAll(userMove: UserMove, onStep: OnStep): Promise<void> {
  const { from, to } = userMove
  await stepOfMove(from, userMove, 'hold')
  await stepOfMove(to, userMove, 'receive')
  await reportStep(userMove, 'held', onStep)
  await eraseAll(userMove, to, 'copy')
  await reportStep(userMove, 'cleared', onStep)
  await copy(userMove, onStep)
  await compare(userMove)
  await reportStep(userMove, 'compared', onStep)
}

async function copy(userMove: UserMove, onStep: OnStep): Promise<void> {
  const { from, to, userId } = userMove
  for await (const { belonging, rows } of pagesOf(from, userId)) {
    const { table } = belonging
    await decideAsMover(to, userMove, 'copy', async (decision) => {
      if (table === 'feedbacks') decision.write(countFeedbacks(to, rows.map(asFeedback)))
      decision.write(insertBelongings(to, table, rows))
    })
    await reportStep(userMove, 'copied', onStep)
  }
}

function asFeedback(row: BelongingRow): Parameters<typeof countFeedbacks>[1][number] {
  const { id, user_id, type, content, context } = row
  const texts = { type: String(type), content: String(content), context: String(context) }
  return { id: String(id), user_id: String(user_id), ...texts }
}

async function compare(userMove: UserMove): Promise<void> {
  const { from, to, userId, beat } = userMove
  const [original, made] = await Promise.all([fingerprintsOf(from, userId, beat), fingerprintsOf(to, userId, beat)])
  const differing = BELONGINGS.filter(({ table }) => original.get(table) !== made.get(table))
  if (differing.length === 0) return
  await stepOfMove(to, userMove, 'copy')
  const tables = differing.map(({ table }) => table).join(', ')
  throw new Error(`the copy of ${userId}'s ${tables} on ${to.name} differs from ${from.name}`)
}

/** Runs once the global store has the user's final shard. */
async function settle(platform: Platform, move: ShardMovesTable, userMove: UserMove, onStep: OnStep): Promise<Outcome> {
  const { from, to, userId } = userMove
  if ((await shardIdOf(platform.meta, userId)) !== move.to_shard) throw new MoveTakenOver(userId)
  await moveIn(to, userMove)
  await reportStep(userMove, 'opened', onStep)
  await eraseAll(userMove, from, 'leave')
  await reportStep(userMove, 'erased', onStep)
  if (await store.endMove(platform.meta, move)) return 'moved'
  throw new MoveTakenOver(userId)
}

async function eraseAll(userMove: UserMove, shard: Shard, step: 'copy' | 'leave'): Promise<void> {
  const erase = () => decideAsMover(shard, userMove, step, (decision) => eraseSome(shard, userMove.userId, decision))
  while (await erase()) await userMove.beat()
}

const LEFT_ALONE_MILLISECONDS = 30_000

/** Finishes the moves of a killed process, so that no user's writes stay blocked. */
export function moveJob(platform: Platform): Job {
  return {
    name: 'moves',
    everySeconds: 15,
    async run() {
      const abandoned = platform.now() - LEFT_ALONE_MILLISECONDS
      const moves = await store.movesClaimedBefore(platform.meta, abandoned)
      const betweenTwoShards = Map.groupBy(moves, ({ from_shard, to_shard }) => `${from_shard} ${to_shard}`)
      await allEnded([...betweenTwoShards.values()].map((some) => finishInTurn(platform, some)))
    },
  }
}

async function finishInTurn(platform: Platform, moves: readonly ShardMovesTable[]): Promise<void> {
  for (const { user_id, to_shard } of moves) {
    if (platform.ending.aborted) return
    await moveUser(platform, user_id, to_shard).catch((error: unknown) => {
      if (error instanceof UserGone) return
      // The fault of a store has its own line, however many moves wait for it.
      platform.log[error instanceof StoreUnavailable ? 'debug' : 'warn']({ error, user: user_id }, 'a move is delayed')
    })
  }
}
