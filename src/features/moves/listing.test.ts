import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe } from 'vitest'
import { it } from '../../../test/service/it.ts'
import type { Person } from '../../../test/service/people.ts'
import type { Shard } from '../../database/store.ts'
import { getShard } from '../shards/shards.ts'
import { moveUser } from './moving.ts'
import { type OnStep, STEPS } from './user-move.ts'

const HOME = 'apac-1'
const AWAY = 'oc-1'
/** As many reads as happen while the user is moved back and forth. */
const LISTS = 12

describe('the list of everybody’s feedback, while a user is moved', () => {
  it('shows each row once at every step, whatever it filters by', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    for (const content of ['one', 'two', 'three']) await wrote(ann, content)
    await wrote(ben, "Ben's")
    const seen = new Set<string>()
    const look: OnStep = async (step) => {
      seen.add(step)
      assert.deepEqual(await listed(administrator, {}), ["Ben's", 'one', 'three', 'two'], step)
      assert.deepEqual(await listed(administrator, { user_id: ann.id }), ['one', 'three', 'two'], step)
      assert.deepEqual(await listed(administrator, { user_id: ben.id }), ["Ben's"], step)
      assert.deepEqual(await listed(administrator, { type: 'idea' }), ["Ben's", 'one', 'three', 'two'], step)
      assert.deepEqual(await listed(administrator, { search: 'two' }), ['two'], step)
    }

    await moveUser(service.platform, ann.id, AWAY, look)
    await moveUser(service.platform, ann.id, HOME, look)

    assert.deepEqual(seen, new Set(STEPS))
  })

  it('shows each row once while the mover works', async ({ service, administrator, ann }) => {
    for (const content of ['one', 'two', 'three']) await wrote(ann, content)
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

  it('checklist 82: sees a move that begins and ends while it is read', async ({
    service,
    administrator,
    ann,
  }) => {
    for (const content of ['one', 'two', 'three']) await wrote(ann, content)

    const looks: (readonly string[])[] = []
    for (const [from, to] of [
      [HOME, AWAY],
      [AWAY, HOME],
    ] as const)
      for (const late of [from, to]) {
        beforeNextSnapshot(getShard(service.platform, late), () => moveUser(service.platform, ann.id, to))
        looks.push(await newestFirst(administrator, ann))
        await moveUser(service.platform, ann.id, from)
      }

    assert.deepEqual(looks, Array(4).fill(['three', 'two', 'one']))
  })
})

async function wrote(person: Person, content: string): Promise<void> {
  const { status } = await person.post('/api/submit_feedback', { type: 'idea', content })
  assert.equal(status, 200)
}

/** All in one request, as many as the total says. */
async function newestFirst(administrator: Person, person: Person): Promise<readonly string[]> {
  const { body } = await administrator.post('/api/admin/list_feedbacks', { user_id: person.id })
  assert.equal(body.total, body.items.length)
  return body.items.map(({ content }: { content: string }) => content)
}

/** In the order of their words, as many as the total says, on pages of two. */
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

/** The other shards are read before it. */
function beforeNextSnapshot(shard: Shard, work: () => Promise<unknown>): void {
  const snapshot = shard.snapshot.bind(shard)
  shard.snapshot = async (...parameters) => {
    shard.snapshot = snapshot
    await work()
    return snapshot(...parameters)
  }
}
