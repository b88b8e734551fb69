import assert from 'node:assert/strict'
import { moveUser } from '../../../src/features/tenancy/moves/moving.ts'
import type { OnStep, Step } from '../../../src/features/tenancy/moves/user-move.ts'
import { verifyShards } from '../../../src/features/tenancy/moves/verifying/verifying.ts'
import type { Person } from '../people.ts'
import type { Service } from '../service.ts'

/** Where people sign up, and another shard. */
export const HOME = 'apac-1'
export const AWAY = 'oc-1'

/** As if the mover were killed after this step. */
export function stopAt(step: Step): OnStep {
  return (reached) => {
    if (reached === step) throw new Error('stopped here')
  }
}

export async function stoppedMove(
  service: Service,
  userId: string,
  toShard: string,
  step: Step,
): Promise<void> {
  await assert.rejects(moveUser(service.platform, userId, toShard, stopAt(step)), /stopped here/, step)
}

export async function setState(
  administrator: Person,
  id: string,
  state: 'active' | 'draining',
): Promise<void> {
  const { status } = await administrator.post('/api/admin/update_shard', { id, state })
  assert.equal(status, 200)
}

/** A service ends by itself what a stopped mover has left behind. */
export async function endMoves(service: Service): Promise<void> {
  service.clock.advance({ minutes: 1 })
  await service.runJob('moves')
  const left = await service.platform.meta.primary.selectFrom('shard_moves').selectAll().execute()
  if (left.length > 0) throw new Error(`a move is still under way: ${JSON.stringify(left)}`)
}

/** What `gatehouse shards verify` finds, sorted. */
export async function disagreements({ platform }: Service): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { shard, user_id, words } of verifyShards(platform))
    found.push(`${shard} ${user_id} ${words}`)
  return found.toSorted()
}
