import { setTimeout as wait } from 'node:timers/promises'
import type { Shard } from '../../database/store.ts'
import { findUserByEmail } from '../../features/people/users/statements.ts'
import { emptyShard } from '../../features/tenancy/moves/emptying.ts'
import { moveUser } from '../../features/tenancy/moves/moving.ts'
import { MoveRefused, unknownShard } from '../../features/tenancy/moves/user-move.ts'
import { removeCopies } from '../../features/tenancy/moves/verifying/removing-copies.ts'
import { eraseOwnerless, ownerlessIn } from '../../features/tenancy/moves/verifying/removing-ownerless.ts'
import type { Platform } from '../../platform/platform.ts'

/** The commands of `gatehouse shards` that move users' rows or remove them. */
export type MoveCommand =
  | { readonly verb: 'remove-copies'; readonly shardId: string }
  | { readonly verb: 'remove-ownerless'; readonly shardId: string; readonly isForGood: boolean }
  | { readonly verb: 'move-user'; readonly user: string; readonly shardId: string }
  | {
      readonly verb: 'empty'
      readonly shardId: string
      readonly toShard?: string | undefined
      readonly usersPerSecond: number
    }

export interface CommandOutcome {
  readonly words: string
  readonly exitCode: number
}

interface Watched {
  readonly progress: (share: number) => void
  /** Aborts when the command no longer waits: no further user is moved. */
  readonly signal: AbortSignal
}

export function carryOut(platform: Platform, command: MoveCommand, watched: Watched): Promise<CommandOutcome> {
  switch (command.verb) {
    case 'move-user':
      return moveOne(platform, command, watched)
    case 'empty':
      return empty(platform, command, watched)
    case 'remove-copies':
      return remove(platform, command, watched)
    case 'remove-ownerless':
      return removeOwnerless(platform, command, watched)
  }
}

async function moveOne(
  platform: Platform,
  { user, shardId }: MoveCommand & { verb: 'move-user' },
  { signal }: Watched,
): Promise<CommandOutcome> {
  const userId = await idOf(platform, user)
  shardNamed(platform, shardId)
  const outcome = await moveUser(platform, userId, shardId, () => signal.throwIfAborted())
  return { words: `${user} is on ${shardId} (${outcome})`, exitCode: 0 }
}

function shardNamed({ shards }: Platform, id: string): Shard {
  const shard = shards.get(id)
  if (!shard) throw unknownShard(id)
  return shard
}

async function idOf({ meta }: Platform, user: string): Promise<string> {
  if (!user.includes('@')) return user
  const found = await findUserByEmail(meta, user.toLowerCase())
  if (!found) throw new MoveRefused(`there is no user ${user}`)
  return found.id
}

async function empty(
  platform: Platform,
  { shardId, toShard, usersPerSecond }: MoveCommand & { verb: 'empty' },
  { progress, signal }: Watched,
): Promise<CommandOutcome> {
  const { moved, left } = await emptyShard(platform, {
    shardId,
    toShard,
    pace: paceOf(usersPerSecond, signal),
    progress: (done, total) => progress(done / total),
  })
  const state = left === 0 ? 'is empty' : `still has ${left} users, whom another process is moving`
  return { words: `${shardId} ${state}; ${moved} users were moved`, exitCode: left === 0 ? 0 : 1 }
}

async function remove(
  platform: Platform,
  { shardId }: MoveCommand & { verb: 'remove-copies' },
  { signal }: Watched,
): Promise<CommandOutcome> {
  const shard = shardNamed(platform, shardId)
  const users = await removeCopies(platform, shard, signal)
  return { words: `the copies of ${users} users were removed from ${shardId}`, exitCode: 0 }
}

async function removeOwnerless(
  platform: Platform,
  { shardId, isForGood }: MoveCommand & { verb: 'remove-ownerless' },
  { signal }: Watched,
): Promise<CommandOutcome> {
  const shard = shardNamed(platform, shardId)
  let users = 0
  for await (const userId of ownerlessIn(platform, shard)) {
    signal.throwIfAborted()
    users++
    if (isForGood) await eraseOwnerless(platform, shard, userId)
  }
  if (isForGood) return { words: `the rows of ${users} users were removed from ${shardId}`, exitCode: 0 }
  if (users === 0) return { words: `every row of ${shardId} belongs to somebody`, exitCode: 0 }
  const words = `${shardId} has rows of ${users} users unknown to the global store; --for-good removes them`
  return { words, exitCode: 1 }
}

/** At most this many per second, even after a slow one. */
function paceOf(usersPerSecond: number, signal: AbortSignal): () => Promise<void> {
  const gapMilliseconds = 1000 / usersPerSecond
  let next = performance.now()
  return async () => {
    const now = performance.now()
    if (next > now) await wait(next - now, undefined, { signal })
    signal.throwIfAborted()
    next = Math.max(next, now) + gapMilliseconds
  }
}
