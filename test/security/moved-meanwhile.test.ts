import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { type Shard, StoreUnavailable } from '../../src/database/store.ts'
import { moveUserTo } from '../../src/features/tenancy/moves/by-administrator.ts'
import { openPatiently, whileHeld } from '../postgres/held-user.ts'
import { it } from '../service/it.ts'
import type { Person } from '../service/people.ts'
import type { Service } from '../service/service.ts'
import { endMoves } from '../service/stores/shard-moves.ts'

/** Who moves a user, or deletes one, needs this row. */
function assignmentOf({ id }: Person) {
  return { sql: 'select from user_shards where user_id = $1 for update', values: [id] }
}

async function movesIn(administrator: Person): Promise<readonly unknown[]> {
  const { body } = await administrator.post('/api/admin/list_audit_entries', { action: 'user.move' })
  return body.items.map((item: { actor_id: string; details: object }) => [item.actor_id, item.details])
}

/** The shard is there when the move begins, and out of reach from then on. */
function outOfReach(shards: ReadonlyMap<string, Shard>, id: string): ReadonlyMap<string, Shard> {
  const left = new Map(shards)
  let asked = 0
  left.get = (name) => (name === id && ++asked > 1 ? undefined : shards.get(name))
  return left
}

async function homeOf({ platform: { meta } }: Service, { id }: Person): Promise<string | undefined> {
  const row = await meta.primary
    .selectFrom('user_shards')
    .select('shard_id')
    .where('user_id', '=', id)
    .executeTakeFirst()
  return row?.shard_id
}

describe('move_user', () => {
  it.override('options', { open: openPatiently })

  it('to two shards at once is one, and the user writes on', async ({ service, administrator, ann }) => {
    const move = (shard_id: string) => () =>
      administrator.post('/api/admin/move_user', { id: ann.id, shard_id })

    const answers = await whileHeld(service, assignmentOf(ann), [move('weur-1'), move('oc-1')])

    const wrote = await ann.post('/api/submit_feedback', { type: 'idea', content: 'Still here' })
    const [done, refused] = answers.toSorted((a, b) => a.status - b.status)
    assert.deepEqual([done?.status, refused?.status, wrote.status], [200, 400, 200])
    assert.match(refused?.body.message, /is being moved to (weur|oc)-1/)
    const to = answers[0] === done ? 'weur-1' : 'oc-1'
    assert.equal(await homeOf(service, ann), to)
    assert.deepEqual(await movesIn(administrator), [[administrator.id, { from: 'apac-1', to }]])
  })

  it('is in the log once and in the right name if a job ends it', async ({ service, administrator, ann }) => {
    const { platform } = service
    const actor = { id: administrator.id, address: null }
    const shards = outOfReach(platform.shards, 'weur-1')

    await assert.rejects(moveUserTo({ ...platform, shards }, actor, ann.id, 'weur-1'), StoreUnavailable)
    await endMoves(service)

    assert.equal(await homeOf(service, ann), 'weur-1')
    assert.deepEqual(await movesIn(administrator), [[actor.id, { from: 'apac-1', to: 'weur-1' }]])
  })

  it('at the deletion of the user is before it or finds nobody', async ({ service, administrator, ann }) => {
    const [deleted, moved] = await whileHeld(service, assignmentOf(ann), [
      () => administrator.post('/api/admin/delete_user', { id: ann.id }),
      () => administrator.post('/api/admin/move_user', { id: ann.id, shard_id: 'weur-1' }),
    ])

    assert.equal(deleted?.status, 200)
    assert.ok([200, 404].includes(moved?.status ?? 0), String(moved?.status))
  })
})
