import type { Platform } from '../../platform/platform.ts'
import { Refusal } from '../../rules/refusal.ts'
import { type Actor, recordAudit } from '../audit/audit.ts'
import { MoveTakenOver } from '../shards/holding.ts'
import { shardIdOf } from '../shards/shards.ts'
import { getUser } from '../users/users.ts'
import { MoveRefused, moveUser } from './moving.ts'

/** Moves one user now, as `gatehouse shards move` does; a move that is cut short goes on in the background. */
export async function moveUserTo(platform: Platform, actor: Actor, id: string, shardId: string) {
  await getUser(platform.meta, id)
  const from = await shardIdOf(platform.meta, id)
  if (!platform.shards.has(shardId)) throw new Refusal('NOT_FOUND', 'There is no such shard.')
  try {
    if ((await moveUser(platform, id, shardId)) !== 'moved') return
  } catch (error) {
    if (error instanceof MoveRefused) throw new Refusal('INVALID_REQUEST', error.message)
    if (error instanceof MoveTakenOver) {
      throw new Refusal('STORE_UNAVAILABLE', 'This user is already being moved; look again in a moment.', {
        cause: error,
        retryAfterSeconds: 2,
      })
    }
    throw error
  }
  await recordAudit(platform, actor, {
    action: 'user.move',
    subject: { type: 'user', id },
    details: { from, to: shardId },
  })
}
