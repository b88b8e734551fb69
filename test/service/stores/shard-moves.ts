import assert from 'node:assert/strict'
import type { Kysely } from 'kysely'
import { BELONGINGS } from '../../../src/features/tenancy/moves/belongings-store.ts'
import { moveUser } from '../../../src/features/tenancy/moves/moving.ts'
import type { OnStep, Step } from '../../../src/features/tenancy/moves/user-move.ts'
import { verifyShards } from '../../../src/features/tenancy/moves/verifying/verifying.ts'
import type { Person } from '../people.ts'
import type { Service } from '../service.ts'

/** The shard of people who sign up, and another one. */
export const HOME = 'apac-1'
export const AWAY = 'oc-1'

/** Stops as if the mover were killed after this step. */
export function stopAt(step: Step): OnStep {
  return (reached) => {
    if (reached === step) throw new Error('stopped here')
  }
}

export async function stoppedMove(service: Service, userId: string, toShard: string, step: Step): Promise<void> {
  await assert.rejects(moveUser(service.platform, userId, toShard, stopAt(step)), /stopped here/, step)
}

export async function setState(administrator: Person, id: string, state: 'active' | 'draining'): Promise<void> {
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

/** The findings of `gatehouse shards verify`, sorted. */
export async function disagreements({ platform }: Service): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { shard, user_id, words } of verifyShards(platform)) found.push(`${shard} ${user_id} ${words}`)
  return found.toSorted()
}

/** The rows that shards have of a deleted user. */
export async function leftInShards({ platform }: Service, userId: string): Promise<readonly unknown[]> {
  const left = [...platform.shards.values()].map(async (shard) => {
    const db = shard as unknown as Kysely<Record<string, Record<string, string>>>
    const rows = BELONGINGS.map(({ table }) => db.selectFrom(table).selectAll().where('user_id', '=', userId))
    const counted = db.selectFrom('feedback_counts').selectAll().where('value', '=', userId)
    const residents = db.selectFrom('residents').selectAll().where('user_id', '=', userId)
    return shard.snapshot([...rows, counted, residents.where('state', '<>', 'gone')], 'primary')
  })
  return (await Promise.all(left)).flat(2)
}

/** Everything left of a deleted user, and everything that has not ended. */
export async function leftOf(service: Service, { id }: Person): Promise<readonly unknown[]> {
  const { meta } = service.platform
  const undone = meta.selectFrom('erasure').select('id').where('user_id', '=', id).where('done_at', 'is', null)
  const moves = meta.selectFrom('shard_moves').select('user_id').where('user_id', '=', id)
  const begun = await meta.snapshot([undone, moves], 'primary')
  return [...(await leftInShards(service, id)), ...begun.flat()]
}

/** Deletes the user, and erases what can be erased now. */
export async function erased(service: Service, administrator: Person, { id }: Person): Promise<void> {
  const { status } = await administrator.post('/api/admin/delete_user', { id })
  assert.equal(status, 200)
  await service.runJob('erasure')
}
