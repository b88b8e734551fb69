import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import type { Shard } from '../../src/database/store.ts'
import { BELONGINGS } from '../../src/features/moves/belongings-store.ts'
import { moveUser } from '../../src/features/moves/moving.ts'
import type { Step } from '../../src/features/moves/user-move.ts'
import { verifyShards } from '../../src/features/moves/verifying/verifying.ts'
import { fenceArriving, writeAsMover } from '../../src/features/shards/holding.ts'
import { getShard } from '../../src/features/shards/shards.ts'
import { type Person, people } from '../service/people.ts'
import { type Service, startService } from '../service/service.ts'
import { endMoves } from '../service/stores/shard-moves.ts'

const HOME = 'apac-1'
const AWAY = 'oc-1'

describe('a failover that loses the last writes of the old shard', () => {
  it('after the comparison: what the user then wrote there is not lost', async () => {
    await using w = await world()
    const writeInTheOldShard = async (step: Step) => {
      if (step !== 'compared') return
      await setResident(w.home, w.ann, { state: 'open', attempt: 0 })
      await wrote(w.ann, 'after the failover')
    }

    await assert.rejects(moveUser(w.platform, w.ann.id, AWAY, writeInTheOldShard), { name: 'MoveTakenOver' })
    await endMoves(w.service)

    assert.deepEqual(await w.contents(), ['after the failover', 'before'])
    assert.deepEqual(await found(w.service), [])
  })
})

describe('a failover that loses the last writes of the new shard', () => {
  for (const { lost, lose } of [
    { lost: 'everything of the user', lose: eraseEverything },
    { lost: 'a part of the copy', lose: eraseFeedbacks },
  ]) {
    it(`between the switch and the end: ${lost} is copied again`, async () => {
      await using w = await world()
      await assert.rejects(moveUser(w.platform, w.ann.id, AWAY, throwAt('switched')), /stopped here/)
      await lose(w.away, w.ann)

      await endMoves(w.service)

      await wrote(w.ann, 'after')
      assert.deepEqual(await w.contents(), ['after', 'before'])
      assert.deepEqual(await found(w.service), [])
    })
  }

  it('between the switch and the end: rows that only the old shard has stay there if the user has written since', async () => {
    await using w = await world()
    await assert.rejects(moveUser(w.platform, w.ann.id, AWAY, throwAt('opened')), /stopped here/)
    await eraseEverything(w.away, w.ann)
    await wrote(w.ann, 'after')

    await assert.rejects(moveUser(w.platform, w.ann.id, AWAY), /oc-1 has lost .* apac-1 still has them/)

    const kept = await w.home.selectFrom('feedbacks').select('content').execute()
    assert.deepEqual(kept, [{ content: 'before' }])
    assert.deepEqual(await w.contents(), ['after'])
  })

  it('between the switch and the end: what another attempt opens meanwhile stays open', async () => {
    await using w = await world()
    const attempt = { userId: w.ann.id, attempt: 9 }

    const fenced = writeAsMover(w.home, attempt, fenceArriving(w.home, attempt), [])

    await assert.rejects(fenced, { name: 'MoveTakenOver' })
    await wrote(w.ann, 'after')
  })

  it('after the end: the loss is found', async () => {
    await using w = await world()
    await moveUser(w.platform, w.ann.id, AWAY)
    await eraseEverything(w.away, w.ann)
    await wrote(w.ann, 'after')

    assert.deepEqual(await found(w.service), [
      `apac-1 ${w.ann.id} was moved to oc-1, which has lost that move: rows are missing there`,
    ])
  })
})

describe('a failover that loses the last writes of the global store', () => {
  it('before the old shard was erased: the user is switched again to the shard that was opened', async () => {
    await using w = await world()
    const { meta } = w.platform
    await assert.rejects(moveUser(w.platform, w.ann.id, AWAY, throwAt('opened')), /stopped here/)
    await wrote(w.ann, 'moved')

    await meta.updateTable('user_shards').set({ shard_id: HOME }).where('user_id', '=', w.ann.id).execute()
    await endMoves(w.service)

    await wrote(w.ann, 'after')
    assert.deepEqual(await w.contents(), ['after', 'moved', 'before'])
    assert.deepEqual(await found(w.service), [])
  })

  it('and of several moves: the next move carries on at once from the numbers that the shards have', async () => {
    await using w = await world()
    for (const shard of [AWAY, HOME, AWAY, HOME]) await moveUser(w.platform, w.ann.id, shard)
    await w.platform.meta.updateTable('user_shards').set({ moves: 0 }).execute()

    assert.equal(await moveUser(w.platform, w.ann.id, AWAY), 'moved')

    await wrote(w.ann, 'after')
    assert.deepEqual(await w.contents(), ['after', 'before'])
  })

  it('and that the new shard was opened, too: the rows there are not erased', async () => {
    await using w = await world()
    await moveUser(w.platform, w.ann.id, AWAY)
    await w.platform.meta.updateTable('user_shards').set({ shard_id: HOME, moves: 0 }).execute()
    await w.away.updateTable('residents').set({ state: 'arriving' }).execute()

    assert.equal(await moveUser(w.platform, w.ann.id, AWAY), 'moved')

    await wrote(w.ann, 'after')
    assert.deepEqual(await w.contents(), ['after', 'before'])
  })

  it('a user whose rows are in another shard is not moved without them', async () => {
    await using w = await world()
    await moveUser(w.platform, w.ann.id, AWAY)
    await w.platform.meta.updateTable('user_shards').set({ shard_id: HOME, moves: 0 }).execute()

    await assert.rejects(moveUser(w.platform, w.ann.id, 'weur-1'), /are in oc-1, not in apac-1/)
    assert.equal(await moveUser(w.platform, w.ann.id, AWAY), 'moved')

    await wrote(w.ann, 'after')
    assert.deepEqual(await w.contents(), ['after', 'before'])
  })
})

async function world() {
  const service = await startService()
  const { administrator, ann } = await people(service)
  await wrote(ann, 'before')
  const { platform } = service
  const close = () => service[Symbol.asyncDispose]()
  return {
    service,
    platform,
    ann,
    home: getShard(platform, HOME),
    away: getShard(platform, AWAY),
    async contents(): Promise<readonly string[]> {
      const { body } = await administrator.post('/api/admin/list_feedbacks', { user_id: ann.id })
      assert.equal(body.total, body.items.length)
      return body.items.map(({ content }: { content: string }) => content)
    },
    [Symbol.asyncDispose]: close,
  }
}

async function wrote(person: Person, content: string): Promise<void> {
  const { status } = await person.post('/api/submit_feedback', { type: 'idea', content })
  assert.equal(status, 200)
}

/** As if the move had never reached this shard. */
async function eraseEverything(shard: Shard, { id }: Person): Promise<void> {
  for (const table of [...BELONGINGS.map((belonging) => belonging.table), 'residents'] as const)
    await shard.deleteFrom(table).where('user_id', '=', id).execute()
  await eraseFeedbacks(shard)
}

async function eraseFeedbacks(shard: Shard): Promise<void> {
  await shard.deleteFrom('feedbacks').execute()
  await shard.deleteFrom('feedback_counts').execute()
}

async function setResident(
  shard: Shard,
  { id }: Person,
  to: { readonly state: 'open' | 'held'; readonly attempt: number },
): Promise<void> {
  await shard.updateTable('residents').set(to).where('user_id', '=', id).execute()
}

function throwAt(step: Step) {
  return (reached: Step) => {
    if (reached === step) throw new Error('stopped here')
  }
}

async function found({ platform }: Service): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const { shard, user_id, words } of verifyShards(platform))
    lines.push(`${shard} ${user_id} ${words}`)
  return lines
}
