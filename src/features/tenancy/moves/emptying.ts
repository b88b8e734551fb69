import type { Platform } from '../../../platform/platform.ts'
import { MoveTakenOver } from '../shards/holding.ts'
import * as store from '../shards/move-statements.ts'
import { activeShards, shardStateOf } from '../shards/shards.ts'
import { shardIdOf, usersByShard } from '../shards/statements.ts'
import { moveUser } from './moving.ts'
import { MoveRefused, NotToBeMoved, unknownShard } from './user-move.ts'

interface Emptying {
  readonly shardId: string
  /** Undefined for the least filled active shard of the same region, else of any. */
  readonly toShard: string | undefined
  /** Resolves when the next user can be moved. */
  readonly pace: () => Promise<void>
  readonly progress: (moved: number, total: number) => void
}

const USERS_AT_ONCE = 100

interface Emptied {
  readonly moved: number
  /** Users still in the shard, because another process is moving them. */
  readonly left: number
}

/** Moves all users away, one after the other. A later call continues a stopped one. */
export async function emptyShard(platform: Platform, emptying: Emptying): Promise<Emptied> {
  const { meta } = platform
  const { shardId } = emptying
  await refuseUnlessDraining(platform, shardId)
  const targets = await targetsOf(platform, emptying)
  await finishBegunMoves(platform, shardId)
  const usersLeft = async () => (await usersByShard(meta)).get(shardId) ?? 0
  let moved = 0
  for (let left = await usersLeft(); left > 0; left = await usersLeft()) {
    const movedNow = await moveAll(platform, emptying, targets, left)
    moved += movedNow
    if (movedNow === 0) break
  }
  return { moved, left: await usersLeft() }
}

async function moveAll(
  platform: Platform,
  { shardId, pace, progress }: Emptying,
  targets: Map<string, number>,
  total: number,
): Promise<number> {
  let seen = 0
  let moved = 0
  for await (const userId of usersOf(platform, shardId)) {
    await pace()
    if (await movedByUs(() => moveAway(platform, userId, shardId, leastFilled(targets)))) moved++
    progress(++seen, Math.max(seen, total))
  }
  return moved
}

/** A move of this user that another process has begun comes first, whatever its target. */
async function moveAway(platform: Platform, userId: string, shardId: string, target: string): Promise<void> {
  const underWay = await store.findMove(platform.meta, userId)
  if (underWay && underWay.to_shard !== target) await moveUser(platform, userId, underWay.to_shard)
  const isElsewhere = underWay && (await shardIdOf(platform.meta, userId)) !== shardId
  if (!isElsewhere) await moveUser(platform, userId, target)
}

async function refuseUnlessDraining({ meta }: Platform, shardId: string): Promise<void> {
  const state = await shardStateOf(meta, shardId)
  if (state === undefined) throw unknownShard(shardId)
  if (state !== 'draining')
    throw new MoveRefused(`${shardId} still takes new users; \`gatehouse shards drain ${shardId}\` first`)
}

async function targetsOf(platform: Platform, { shardId, toShard }: Emptying): Promise<Map<string, number>> {
  const [active, users] = await Promise.all([activeShards(platform), usersByShard(platform.meta)])
  const region = platform.config.shards.find(({ id }) => id === shardId)?.region
  const others = active.filter(({ id }) => id !== shardId)
  const near = others.filter((shard) => shard.region === region)
  const wanted = others.filter(({ id }) => id === toShard)
  const chosen = toShard !== undefined ? wanted : near.length > 0 ? near : others
  if (chosen.length === 0)
    throw new MoveRefused(`${toShard ? `${toShard} is not` : 'no other shard is'} active; activate or add one`)
  return new Map(chosen.map(({ id }) => [id, users.get(id) ?? 0]))
}

function leastFilled(targets: Map<string, number>): string {
  const [first] = [...targets].sort(([, a], [, b]) => a - b)
  if (!first) throw new Error('there is no shard to move to')
  const [id, users] = first
  targets.set(id, users + 1)
  return id
}

/** Includes moves to this shard: their copies are here, and another move can only begin when the first is finished. */
async function finishBegunMoves(platform: Platform, shardId: string): Promise<void> {
  for (const { user_id, to_shard } of await store.movesFromOrTo(platform.meta, shardId))
    await movedByUs(() => moveUser(platform, user_id, to_shard))
}

async function* usersOf({ meta }: Platform, shardId: string): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const users = await store.usersOn(meta, shardId, after, USERS_AT_ONCE)
    yield* users
    if (users.length < USERS_AT_ONCE) return
    after = users.at(-1) ?? after
  }
}

/** False if another process moves the user, or if the user is gone. */
async function movedByUs(move: () => Promise<unknown>): Promise<boolean> {
  try {
    await move()
    return true
  } catch (error) {
    if (error instanceof MoveTakenOver || error instanceof NotToBeMoved) return false
    throw error
  }
}
