import type { FeedbacksTable, ShardMovesTable } from '../../database/schema.ts'
import type { Meta, Shard } from '../../database/store.ts'
import type { Job } from '../../platform/background.ts'
import type { Platform } from '../../platform/platform.ts'
import { countFeedbacks } from '../feedback/feedback.ts'
import {
  findResident,
  holdResident,
  leave,
  MoveTakenOver,
  moveIn,
  stillHolds,
  writeAsMover,
} from '../shards/holding.ts'
import { closeResident } from '../shards/residents.ts'
import { getShard, shardIdOf, shardStateOf } from '../shards/shards.ts'
import { BELONGINGS, fingerprintOf, insertBelongings, pagesOf, type Row } from './belongings-store.ts'
import { eraseSome } from './erasing.ts'
import * as store from './store.ts'
import { type Journey, journeyOf, type OnStep, reached } from './user-move.ts'

/** A line for the operator; nothing was changed. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}

/**
 * Copies, compares, switches and erases one user's rows. Whatever was begun is taken up where it
 * stands, so it may end at any moment and be called again, also by several processes at once.
 */
export async function moveUser(
  platform: Platform,
  userId: string,
  toShard: string,
  onStep: OnStep = () => undefined,
): Promise<'moved' | 'there already' | 'erased'> {
  const move = await claim(platform, userId, toShard)
  if (!move) return 'there already'
  await onStep('claimed')
  const journey = journeyOf(platform, move)
  const home = await shardIdOf(platform.meta, userId)
  if (home === move.from_shard) await bringOver(platform, move, journey, onStep)
  return settle(platform, move, journey, onStep)
}

async function claim(platform: Platform, userId: string, toShard: string) {
  const { meta, now } = platform
  getShard(platform, toShard)
  const underWay = await store.findMove(meta, userId)
  if (underWay && underWay.to_shard !== toShard)
    throw new MoveRefused(`${userId} is on the way to ${underWay.to_shard}; finish that first`)
  if (!underWay && (await shardStateOf(meta, toShard)) !== 'active')
    throw new MoveRefused(`${toShard} is not an active shard; \`gatehouse shards list\` shows which are`)
  if (!underWay && (await shardIdOf(meta, userId)) === undefined)
    throw new MoveRefused(`there is no user ${userId}`)
  return store.claimMove(meta, userId, toShard, now())
}

/** From here on the user's writes are answered 503, until the switch. */
async function bringOver(
  platform: Platform,
  move: ShardMovesTable,
  journey: Journey,
  onStep: OnStep,
): Promise<void> {
  const { from, to, userId } = journey
  if ((await findResident(to, userId))?.state === 'open')
    throw new MoveRefused(`${to.name} has rows of ${userId} that do not belong there; see shards verify`)
  await writeAsMover(from, journey, holdResident(from, journey), [])
  await writeAsMover(to, journey, holdResident(to, journey), [])
  await reached(journey, 'held', onStep)
  await eraseAll(journey, to, (statements) => writeAsMover(to, journey, stillHolds(to, journey), statements))
  await reached(journey, 'cleared', onStep)
  await copy(journey, onStep)
  await compare(journey)
  await reached(journey, 'compared', onStep)
  if (await store.switchHome(platform.meta, move)) return reached(journey, 'switched', onStep)
  if ((await shardIdOf(platform.meta, userId)) !== undefined) throw new MoveTakenOver(userId)
}

async function copy(journey: Journey, onStep: OnStep): Promise<void> {
  const { from, to, userId } = journey
  for (const belonging of BELONGINGS) {
    for await (const rows of pagesOf(from, userId, belonging)) {
      const counts = belonging.table === 'feedbacks' ? [countFeedbacks(to, rows.map(asFeedback))] : []
      const statements = [...counts, insertBelongings(to, belonging.table, rows)]
      await writeAsMover(to, journey, stillHolds(to, journey), statements)
      await reached(journey, 'copied', onStep)
    }
  }
}

function asFeedback({ id, user_id, type }: Row): Pick<FeedbacksTable, 'id' | 'user_id' | 'type'> {
  return { id: String(id), user_id: String(user_id), type: String(type) }
}

async function compare(journey: Journey): Promise<void> {
  const { from, to, userId } = journey
  for (const belonging of BELONGINGS) {
    const [original, made] = await Promise.all([
      fingerprintOf(from, userId, belonging, journey.beat),
      fingerprintOf(to, userId, belonging, journey.beat),
    ])
    if (original === made) continue
    await writeAsMover(to, journey, stillHolds(to, journey), [])
    throw new Error(`the copy of ${userId}'s ${belonging.table} on ${to.name} differs from ${from.name}`)
  }
}

/** The global store has said where the user is at home, or that there is none. */
async function settle(
  platform: Platform,
  move: ShardMovesTable,
  journey: Journey,
  onStep: OnStep,
): Promise<'moved' | 'erased'> {
  const { from, to, userId } = journey
  const home = await shardIdOf(platform.meta, userId)
  if (home === undefined) return abandon(platform, move, journey)
  if (home !== move.to_shard) throw new MoveTakenOver(userId)
  await moveIn(to, journey)
  await reached(journey, 'opened', onStep)
  await eraseAll(journey, from, (statements) => writeAsMover(from, journey, leave(from, journey), statements))
  await reached(journey, 'erased', onStep)
  if (await store.endMove(platform.meta, move, 'moved')) return 'moved'
  if ((await shardIdOf(platform.meta, userId)) === undefined) return abandon(platform, move, journey)
  throw new MoveTakenOver(userId)
}

/** The user was deleted on the way: nothing may be left in either shard. */
async function abandon(platform: Platform, move: ShardMovesTable, journey: Journey): Promise<'erased'> {
  const { from, to, userId } = journey
  for (const shard of [to, from])
    await eraseAll(journey, shard, (statements) =>
      shard.batch([closeResident(shard, userId, 'gone'), ...statements]),
    )
  await store.endMove(platform.meta, move, 'erased')
  return 'erased'
}

async function eraseAll(
  journey: Journey,
  shard: Shard,
  write: Parameters<typeof eraseSome>[2],
): Promise<void> {
  while (await eraseSome(shard, journey.userId, write)) await journey.beat()
}

export function movesUnderWay(meta: Meta): Promise<number> {
  return store.countMoves(meta)
}

const LEFT_ALONE_MILLISECONDS = 30_000

/** Ends what a killed process has begun, so that nobody's writes stay held. */
export function moveJob(platform: Platform): Job {
  return {
    name: 'moves',
    everySeconds: 15,
    async run() {
      const abandoned = platform.now() - LEFT_ALONE_MILLISECONDS
      for (const { user_id, to_shard } of await store.movesClaimedBefore(platform.meta, abandoned)) {
        await moveUser(platform, user_id, to_shard).catch((error: unknown) => {
          platform.log.warn({ error, user: user_id }, 'a move has to wait')
        })
      }
    },
  }
}
