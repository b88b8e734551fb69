import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe } from 'vitest'
import { contentsListed, submitted } from '../../../../test/service/feedback.ts'
import { it } from '../../../../test/service/it.ts'
import type { Person } from '../../../../test/service/people.ts'
import { AWAY, HOME } from '../../../../test/service/stores/shard-moves.ts'
import type { Shard } from '../../../database/store.ts'
import { getShard } from '../shards/shards.ts'
import { moveUser } from './moving.ts'
import { type OnStep, STEPS } from './user-move.ts'

/** How many reads happen while the user is moved back and forth. */
const LISTS = 12

describe('the list of everybody’s feedback, while a user is moved', () => {
  it('shows each row once at every step, by any filter', async ({ service, administrator, ann, ben }) => {
    for (const content of ['one', 'two', 'three']) await submitted(ann, content)
    await submitted(ben, "Ben's")
    const seen = new Set<string>()
    const look: OnStep = async (step) => {
      seen.add(step)
      for (const [filter, contents] of [
        [{}, ["Ben's", 'one', 'three', 'two']],
        [{ user_id: ann.id }, ['one', 'three', 'two']],
        [{ user_id: ben.id }, ["Ben's"]],
        [{ type: 'idea' }, ["Ben's", 'one', 'three', 'two']],
        [{ status: 'new' }, ["Ben's", 'one', 'three', 'two']],
        [{ search: 'two' }, ['two']],
      ] as const)
        assert.deepEqual(await listed(administrator, filter), contents, `${step} ${JSON.stringify(filter)}`)
    }

    await moveUser(service.platform, ann.id, AWAY, look)
    await moveUser(service.platform, ann.id, HOME, look)

    assert.deepEqual(seen, new Set(STEPS))
  })

  it('shows each row once while the mover works', async ({ service, administrator, ann }) => {
    for (const content of ['one', 'two', 'three']) await submitted(ann, content)
    let lists = 0

    for (let moves = 0; lists < LISTS; moves++) {
      let isMoving = true
      const moving = moveUser(service.platform, ann.id, moves % 2 === 0 ? AWAY : HOME).finally(() => {
        isMoving = false
      })
      for (; isMoving; lists++) {
        assert.deepEqual(await listed(administrator, {}), ['one', 'three', 'two'], `list ${lists}`)
        await nextTurn()
      }
      await moving
    }
  })

  it('checklist 82: sees a move that begins and ends while it is read', async ({ service, administrator, ann }) => {
    for (const content of ['one', 'two', 'three']) await submitted(ann, content)

    const looks: (readonly string[])[] = []
    for (const [from, to] of [
      [HOME, AWAY],
      [AWAY, HOME],
    ] as const)
      for (const late of [from, to]) {
        beforeNextSnapshot(getShard(service.platform, late), () => moveUser(service.platform, ann.id, to))
        looks.push(await contentsListed(administrator, { user_id: ann.id }))
        await moveUser(service.platform, ann.id, from)
      }

    assert.deepEqual(looks, Array(4).fill(['three', 'two', 'one']))
  })
})

/** Reads pages of two, checks that the total is right, and returns the texts in order. */
async function listed(administrator: Person, filter: object): Promise<readonly string[]> {
  const contents: string[] = []
  for (let page = 1; ; page++) {
    const { body } = await administrator.post('/api/admin/list_feedbacks', { ...filter, page, page_size: 2 })
    contents.push(...body.items.map(({ content }: { content: string }) => content))
    if (body.items.length === 0) {
      assert.equal(body.total, contents.length)
      return contents.toSorted()
    }
  }
}

/** Runs the work before this shard's next snapshot, when other shards may have been read. */
function beforeNextSnapshot(shard: Shard, work: () => Promise<unknown>): void {
  const snapshot = shard.snapshot.bind(shard)
  shard.snapshot = async (...parameters) => {
    shard.snapshot = snapshot
    await work()
    return snapshot(...parameters)
  }
}
