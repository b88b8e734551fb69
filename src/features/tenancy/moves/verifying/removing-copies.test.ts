import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { contentsListed, submitted } from '../../../../../test/service/feedback.ts'
import { it as withService } from '../../../../../test/service/it.ts'
import { AWAY, disagreements, HOME, stoppedMove } from '../../../../../test/service/stores/shard-moves.ts'
import type { Shard } from '../../../../database/store.ts'
import { submitFeedback } from '../../../operations/feedback/feedback.ts'
import { countFeedbacks } from '../../../operations/feedback/statements.ts'
import { getShard } from '../../shards/shards.ts'
import { moveUser } from '../moving.ts'
import { removeCopies } from './removing-copies.ts'

interface Copies {
  readonly home: Shard
  /** Makes Ann's first shard as it would be if it had lost everything after her first feedback. */
  getBack(): Promise<void>
  /** Returns the number of users whose copies were removed. */
  remove(): Promise<number>
}

const it = withService.extend<{ copies: Copies }>({
  copies: async ({ service, ann }, use) => {
    const home = getShard(service.platform, HOME)
    await submitted(ann, 'before')
    const lost = await home.selectFrom('feedbacks').selectAll().where('user_id', '=', ann.id).execute()
    await use({
      home,
      async getBack() {
        await home.batch([countFeedbacks(home, lost), home.insertInto('feedbacks').values(lost)])
        const resident = home.updateTable('residents').where('user_id', '=', ann.id)
        await resident.set({ state: 'open', attempt: 0 }).execute()
      },
      remove: () => removeCopies(service.platform, home, new AbortController().signal),
    })
  },
})

describe('gatehouse shards remove-copies', () => {
  it('removes the rows of a moved user that a shard got back', async ({ service, administrator, ann, copies }) => {
    await moveUser(service.platform, ann.id, AWAY)
    await submitted(ann, 'in the new shard')
    await copies.getBack()

    assert.equal(await copies.remove(), 1)

    assert.deepEqual(await contentsListed(administrator, { user_id: ann.id }), ['in the new shard', 'before'])
    assert.deepEqual(await disagreements(service), [])
    assert.equal(await moveUser(service.platform, ann.id, HOME), 'moved')
  })

  it('removes the rows of an erased user that a shard got back', async ({ service, administrator, ann, copies }) => {
    await administrator.post('/api/admin/delete_user', { id: ann.id })
    await service.runJob('erasure')
    await copies.getBack()
    assert.notDeepEqual(await disagreements(service), [])

    assert.equal(await copies.remove(), 1)

    assert.deepEqual(await disagreements(service), [])
  })

  it('leaves a row that exists nowhere else', async ({ service, ann, copies }) => {
    await moveUser(service.platform, ann.id, AWAY)
    await copies.getBack()
    await submitFeedback({ now: () => 1 }, copies.home, ann.id, { type: 'idea', content: 'only here', context: {} })

    assert.equal(await copies.remove(), 0)

    assert.deepEqual(await contentsAt(copies.home), ['before', 'only here'])
  })

  it('leaves the rows if the home is closed, or has not seen the move', async ({ service, ann, copies }) => {
    await moveUser(service.platform, ann.id, AWAY)
    await copies.getBack()
    const resident = getShard(service.platform, AWAY).updateTable('residents').where('user_id', '=', ann.id)

    for (const doubtful of [{ state: 'arriving' }, { state: 'open', attempt: 0 }] as const) {
      await resident.set(doubtful).execute()
      assert.equal(await copies.remove(), 0)
    }
  })

  it('leaves the rows of a user unknown to the global store, and of one who is being moved', async ({
    service,
    ann,
    copies,
  }) => {
    await submitFeedback({ now: () => 1 }, copies.home, 'nobody', { type: 'idea', content: 'a row', context: {} })
    await stoppedMove(service, ann.id, AWAY, 'opened')

    assert.equal(await copies.remove(), 0)

    assert.deepEqual(await contentsAt(copies.home), ['a row', 'before'])
  })
})

async function contentsAt(shard: Shard): Promise<readonly string[]> {
  const rows = await shard.selectFrom('feedbacks').select('content').execute()
  return rows.map(({ content }) => content).toSorted()
}
