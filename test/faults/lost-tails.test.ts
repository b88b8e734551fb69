import assert from 'node:assert/strict'
import { describe } from 'vitest'
import type { Shard } from '../../src/database/store.ts'
import { BELONGINGS } from '../../src/features/tenancy/moves/belongings-store.ts'
import { moveUser } from '../../src/features/tenancy/moves/moving.ts'
import type { Step } from '../../src/features/tenancy/moves/user-move.ts'
import { verifyShards } from '../../src/features/tenancy/moves/verifying/verifying.ts'
import { MoveTakenOver, stepOfMove } from '../../src/features/tenancy/shards/holding.ts'
import { getShard } from '../../src/features/tenancy/shards/shards.ts'
import { it as ofService } from '../service/it.ts'
import type { Person } from '../service/people.ts'
import { endMoves } from '../service/stores/shard-moves.ts'

const HOME = 'apac-1'
const AWAY = 'oc-1'

interface World {
  readonly home: Shard
  readonly away: Shard
  /** Moves ann, and stops with an error at this step. */
  stopAt(step: Step): Promise<void>
  move(to?: string): Promise<string>
  setAssigned(to: { shard_id?: string; moves?: number }): Promise<unknown>
  /** All of ann's feedback is there after one more write, and global store and shards agree. */
  assertWhole(...contents: string[]): Promise<void>
  contents(): Promise<readonly string[]>
  found(): Promise<readonly string[]>
}

/** Ann has written in her first shard. */
const it = ofService.extend<{ w: World }>({
  w: async ({ service, administrator, ann }, use) => {
    const { platform } = service
    await wrote(ann, 'before')
    await use({
      home: getShard(platform, HOME),
      away: getShard(platform, AWAY),
      stopAt: (step) => assert.rejects(moveUser(platform, ann.id, AWAY, throwAt(step)), /stopped here/),
      move: (to = AWAY) => moveUser(platform, ann.id, to),
      setAssigned: (to) => platform.meta.updateTable('user_shards').set(to).where('user_id', '=', ann.id).execute(),
      async assertWhole(...contents) {
        await wrote(ann, 'after')
        assert.deepEqual(await this.contents(), ['after', ...contents])
        assert.deepEqual(await this.found(), [])
      },
      async contents() {
        const { body } = await administrator.post('/api/admin/list_feedbacks', { user_id: ann.id })
        assert.equal(body.total, body.items.length)
        return body.items.map(({ content }: { content: string }) => content)
      },
      async found() {
        const lines: string[] = []
        for await (const { shard, user_id, words } of verifyShards(platform)) lines.push(`${shard} ${user_id} ${words}`)
        return lines
      },
    })
  },
})

describe('a failover that loses the last writes of the old shard', () => {
  it('after the comparison: what the user then wrote there is not lost', async ({ service, ann, w }) => {
    const writeInTheOldShard = async (step: Step) => {
      if (step !== 'compared') return
      const open = { state: 'open', attempt: 0 } as const
      await w.home.updateTable('residents').set(open).where('user_id', '=', ann.id).execute()
      await wrote(ann, 'after the failover')
    }

    await assert.rejects(moveUser(service.platform, ann.id, AWAY, writeInTheOldShard), MoveTakenOver)
    await endMoves(service)

    await w.assertWhole('after the failover', 'before')
  })
})

describe('a failover that loses the last writes of the new shard', () => {
  it.for([
    ['everything of the user', eraseEverything],
    ['a part of the copy', eraseFeedbacks],
  ] as const)('between the switch and the end: %s is copied again', async ([, lose], { service, ann, w }) => {
    await w.stopAt('switched')
    await lose(w.away, ann)

    await endMoves(service)

    await w.assertWhole('before')
  })

  it('between the switch and the end: rows that only the old shard has stay there if the user has written since', async ({
    ann,
    w,
  }) => {
    await w.stopAt('opened')
    await eraseEverything(w.away, ann)
    await wrote(ann, 'after')

    await assert.rejects(w.move(), /oc-1 has lost .* apac-1 still has them/)

    const kept = await w.home.selectFrom('feedbacks').select('content').execute()
    assert.deepEqual(kept, [{ content: 'before' }])
    assert.deepEqual(await w.contents(), ['after'])
  })

  it('between the switch and the end: what another attempt opens meanwhile stays open', async ({ ann, w }) => {
    const attempt = { userId: ann.id, attempt: 9 }

    const fenced = stepOfMove(w.home, attempt, 'fence')

    await assert.rejects(fenced, MoveTakenOver)
    await wrote(ann, 'after')
  })

  it('after the end: the loss is found', async ({ ann, w }) => {
    await w.move()
    await eraseEverything(w.away, ann)
    await wrote(ann, 'after')

    assert.deepEqual(await w.found(), [
      `apac-1 ${ann.id} was moved to oc-1, which has lost that move: rows are missing there`,
    ])
  })
})

describe('a failover that loses the last writes of the global store', () => {
  it('before the old shard was erased: the user is switched again to the shard that was opened', async ({
    service,
    ann,
    w,
  }) => {
    await w.stopAt('opened')
    await wrote(ann, 'moved')

    await w.setAssigned({ shard_id: HOME })
    await endMoves(service)

    await w.assertWhole('moved', 'before')
  })

  it('and of several moves: the next move carries on at once from the numbers that the shards have', async ({ w }) => {
    for (const shard of [AWAY, HOME, AWAY, HOME]) await w.move(shard)
    await w.setAssigned({ moves: 0 })

    assert.equal(await w.move(), 'moved')

    await w.assertWhole('before')
  })

  it('and that the new shard was opened, too: the rows there are not erased', async ({ w }) => {
    await w.move()
    await w.setAssigned({ shard_id: HOME, moves: 0 })
    await w.away.updateTable('residents').set({ state: 'arriving' }).execute()

    assert.equal(await w.move(), 'moved')

    await w.assertWhole('before')
  })

  it('a user whose rows are in another shard is not moved without them', async ({ w }) => {
    await w.move()
    await w.setAssigned({ shard_id: HOME, moves: 0 })

    await assert.rejects(w.move('weur-1'), /are in oc-1, not in apac-1/)
    assert.equal(await w.move(), 'moved')

    await w.assertWhole('before')
  })
})

async function wrote(person: Person, content: string): Promise<void> {
  const { status } = await person.post('/api/submit_feedback', { type: 'idea', content })
  assert.equal(status, 200)
}

/** Makes it look as if the move had never reached this shard. */
async function eraseEverything(shard: Shard, { id }: Person): Promise<void> {
  for (const table of [...BELONGINGS.map((belonging) => belonging.table), 'residents'] as const)
    await shard.deleteFrom(table).where('user_id', '=', id).execute()
  await eraseFeedbacks(shard)
}

async function eraseFeedbacks(shard: Shard): Promise<void> {
  await shard.deleteFrom('feedbacks').execute()
  await shard.deleteFrom('feedback_counts').execute()
}

function throwAt(step: Step) {
  return (reached: Step) => {
    if (reached === step) throw new Error('stopped here')
  }
}
