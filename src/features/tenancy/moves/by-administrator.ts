import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { refuseColleague } from '../../../rules/staff.ts'
import type { Doer } from '../../ground/acts/acts.ts'
import { findUser } from '../../people/users/statements.ts'
import { getUser, unknownUser } from '../../people/users/users.ts'
import { MoveTakenOver } from '../shards/holding.ts'
import { moveUser } from './moving.ts'
import { MoveRefused, UserGone } from './user-move.ts'

/** Moves one user now, as `gatehouse shards move-user` does. An interrupted move continues in the background. */
export async function moveUserTo(doer: Doer, id: string, shardId: string) {
  const { platform } = doer
  const user = await getUser(platform.meta, id)
  if (doer.caller) refuseColleague(doer.caller.user, user)
  if (!platform.shards.has(shardId)) throw new Refusal('NOT_FOUND', 'This shard does not exist.')
  try {
    await moveUser(platform, id, shardId, undefined, doer)
  } catch (error) {
    throw await refusalOf(platform, id, error)
  }
}

async function refusalOf({ meta }: Platform, id: string, cause: unknown): Promise<unknown> {
  if (cause instanceof UserGone) return unknownUser()
  if (cause instanceof MoveRefused) return new Refusal('INVALID_REQUEST', cause.message, { cause })
  if (!(cause instanceof MoveTakenOver)) return cause
  if (!(await findUser(meta, id))) return unknownUser()
  const words = 'This user is already being moved; look again in a moment.'
  return new Refusal('STORE_UNAVAILABLE', words, { cause, retryAfterSeconds: 2 })
}
