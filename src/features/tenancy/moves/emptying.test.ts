import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { contentsListed, submitted } from '../../../../test/service/feedback.ts'
import { it } from '../../../../test/service/it.ts'
import { newcomer, type Person } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { disagreements, setState, stoppedMove } from '../../../../test/service/stores/shard-moves.ts'
import { addShard, getShard } from '../shards/shards.ts'
import { emptyShard } from './emptying.ts'
import { moveUser } from './moving.ts'
import { STEPS } from './user-move.ts'

const everybody = {
  shardId: 'apac-1',
  toShard: undefined,
  pace: async () => undefined,
  progress: () => undefined,
}

describe('emptying a shard', () => {
  it('moves each user to the least filled other and reports progress', async ({ service, administrator }) => {
    const persons = await crowd(service, 6)
    await setState(administrator, 'apac-1', 'draining')
    const told: string[] = []
    const progress = (moved: number, total: number) => told.push(`${moved}/${total}`)

    const moved = await emptyShard(service.platform, { ...everybody, progress })

    assert.deepEqual(moved, { moved: 9, left: 0 })
    assert.deepEqual([told[0], told.at(-1)], ['1/9', '9/9'])
    const { body } = await administrator.post('/api/admin/list_shards')
    assert.deepEqual(
      body.items.map(({ id, users }: { id: string; users: number }) => [id, users]),
      [
        ['apac-1', 0],
        ['oc-1', 5],
        ['weur-1', 4],
      ],
    )
    for (const { id } of persons) assert.deepEqual(await contentsListed(administrator, { user_id: id }), ['Hello'])
    assert.deepEqual(await disagreements(service), [])
  })

  it('stopped in the middle of a user, it continues where it stopped', async ({ service, administrator }) => {
    await crowd(service, 4)
    await setState(administrator, 'apac-1', 'draining')
    let paces = 0
    const pace = async () => {
      if (++paces === 3) throw new Error('stopped here')
    }
    await assert.rejects(emptyShard(service.platform, { ...everybody, toShard: 'oc-1', pace }))
    const [next = ''] = await usersOn(service, 'apac-1')
    await stoppedMove(service, next, 'oc-1', 'copied')

    const { moved } = await emptyShard(service.platform, { ...everybody, toShard: 'oc-1' })

    assert.equal(moved, 4)
    assert.deepEqual(await usersOn(service, 'apac-1'), [])
    assert.deepEqual(await disagreements(service), [])
  })

  it('checklist 96: skips a user who is deleted before their turn', async ({ service, administrator }) => {
    await crowd(service, 3)
    await setState(administrator, 'apac-1', 'draining')
    const [, , third = ''] = await usersOn(service, 'apac-1')
    const isOwner = third === administrator.id
    let paces = 0
    const pace = async () => {
      if (++paces === 2) await administrator.post('/api/admin/delete_user', { id: third })
    }

    const emptied = await emptyShard(service.platform, { ...everybody, pace })

    assert.deepEqual([isOwner, emptied.left], [false, 0])
    assert.deepEqual(await usersOn(service, 'apac-1'), [])
  })

  it('checklist 96: finishes moves to this shard that a killed mover has left at any step, and moves those users away', async ({
    service,
    administrator,
  }) => {
    const persons = await crowd(service, STEPS.length)
    for (const [i, step] of STEPS.entries()) {
      const id = persons[i]?.id ?? ''
      await moveUser(service.platform, id, 'oc-1')
      await stoppedMove(service, id, 'apac-1', step)
    }
    await setState(administrator, 'apac-1', 'draining')

    const emptied = await emptyShard(service.platform, { ...everybody, toShard: 'weur-1' })

    assert.equal(emptied.left, 0)
    assert.deepEqual(await usersOn(service, 'apac-1'), [])
    assert.deepEqual(await service.platform.meta.selectFrom('shard_moves').selectAll().execute(), [])
    assert.deepEqual(await disagreements(service), [])
  })

  it('is refused while the shard takes new users, or if no other shard can take its users', async ({
    service,
    administrator,
  }) => {
    await assert.rejects(emptyShard(service.platform, everybody), /apac-1 still takes new users/)
    await setState(administrator, 'apac-1', 'draining')
    await setState(administrator, 'oc-1', 'draining')
    for (const [other, words] of [
      [{ toShard: 'oc-1' }, /oc-1 is not active/],
      [{ shardId: 'mars-1' }, /no shard mars-1/],
    ] as const)
      await assert.rejects(emptyShard(service.platform, { ...everybody, ...other }), words)
  })
})

describe('verifying shards', () => {
  it('names every stray row, a user closed at home, and wrong counters', async ({ service, ann, ben }) => {
    const oc = getShard(service.platform, 'oc-1')
    await oc.insertInto('notification_reads').values({ notification_id: 'n1', user_id: ann.id }).execute()
    await oc.insertInto('credit_balance').values({ user_id: 'nobody', balance: 1 }).execute()
    await oc.insertInto('feedback_counts').values({ kind: 'all', value: '', slot: 3, feedbacks: 2 }).execute()
    await getShard(service.platform, 'apac-1')
      .updateTable('residents')
      .set({ state: 'held' })
      .where('user_id', '=', ben.id)
      .execute()

    assert.deepEqual(await disagreements(service), [
      `apac-1 ${ben.id} is at home here, but closed to writes (held)`,
      `oc-1 ${ann.id} notification_reads n1 belongs to a user of apac-1`,
      'oc-1 nobody credit_balance nobody belongs to a user that does not exist',
      'oc-1 null the feedback counters (all) say 2, there are 0 rows',
    ])
  })

  it('does not report users who are being moved', async ({ service, ann }) => {
    await submitted(ann)
    const seen: string[] = []

    await moveUser(service.platform, ann.id, 'oc-1', async () => {
      seen.push(...(await disagreements(service)))
    })

    assert.deepEqual(seen, [])
  })

  it('names a shard without an address, and compares the others without it', async ({ service, ann }) => {
    await moveUser(service.platform, ann.id, 'oc-1')
    const shards = new Map([...service.platform.shards].filter(([id]) => id !== 'oc-1'))

    const found = await disagreements({ ...service, platform: { ...service.platform, shards } })

    assert.deepEqual(found, ['oc-1 null is registered, but is not in SHARDS'])
  })
})

describe('adding a shard', () => {
  it('a shard that SHARDS names later is used once it is added, not before', async ({ service }) => {
    const { platform } = service
    await platform.meta.deleteFrom('shards').where('id', '=', 'weur-1').execute()

    const added = await addShard(platform, 'weur-1')
    const again = await addShard(platform, 'weur-1')

    assert.deepEqual([added, again], [true, false])
    await assert.rejects(addShard(platform, 'mars-1'), /mars-1 is not in SHARDS/)
  })
})

async function crowd(service: Service, size: number) {
  const persons: Person[] = []
  for (let i = 0; i < size; i++) persons.push(await newcomer(service, `person-${i}@example.com`))
  for (const person of persons) await submitted(person)
  return persons
}

async function usersOn({ platform }: Service, shardId: string): Promise<readonly string[]> {
  const rows = await platform.meta
    .selectFrom('user_shards')
    .select('user_id')
    .where('shard_id', '=', shardId)
    .orderBy('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}
