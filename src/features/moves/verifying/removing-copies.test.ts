import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { people } from '../../../../test/service/people.ts'
import { startService } from '../../../../test/service/service.ts'
import { countFeedbacks, submitFeedback } from '../../feedback/feedback.ts'
import { getShard } from '../../shards/shards.ts'
import { moveUser } from '../moving.ts'
import { removeCopies } from './removing-copies.ts'
import { verifyShards } from './verifying.ts'

const HOME = 'apac-1'
const AWAY = 'oc-1'

describe('gatehouse shards remove-copies', () => {
  it('removes what a shard has got back of a user who was moved away', async () => {
    await using w = await world()
    await moveUser(w.platform, w.ann.id, AWAY)
    await w.wrote('in the new shard')
    await w.getBack()

    assert.equal(await w.removed(), 1)

    assert.deepEqual(await w.contents(), ['in the new shard', 'before'])
    assert.deepEqual(await w.found(), [])
    assert.equal(await moveUser(w.platform, w.ann.id, HOME), 'moved')
  })

  it('removes what a shard has got back of a user who was erased', async () => {
    await using w = await world()
    await w.administrator.post('/api/admin/delete_user', { id: w.ann.id })
    await w.service.runJob('erasure')
    await w.getBack()
    assert.notDeepEqual(await w.found(), [])

    assert.equal(await w.removed(), 1)

    assert.deepEqual(await w.found(), [])
  })

  it('leaves a row that is nowhere else', async () => {
    await using w = await world()
    await moveUser(w.platform, w.ann.id, AWAY)
    await w.getBack()
    await submitFeedback(w.home, w.ann.id, { type: 'idea', content: 'only here' }, 1)

    assert.equal(await w.removed(), 0)

    assert.deepEqual(await w.contentsAtHome(), ['before', 'only here'])
  })

  it('leaves the rows if the home is closed, or has not seen the move', async () => {
    await using w = await world()
    await moveUser(w.platform, w.ann.id, AWAY)
    await w.getBack()
    const resident = getShard(w.platform, AWAY).updateTable('residents').where('user_id', '=', w.ann.id)

    for (const doubtful of [{ state: 'arriving' }, { state: 'open', attempt: 0 }] as const) {
      await resident.set(doubtful).execute()
      assert.equal(await w.removed(), 0)
    }
  })

  it('leaves the rows of a user of whom the global store has never heard, and of one who is being moved', async () => {
    await using w = await world()
    await submitFeedback(w.home, 'nobody', { type: 'idea', content: 'a row' }, 1)
    const stopped = moveUser(w.platform, w.ann.id, AWAY, (step) => {
      if (step === 'opened') throw new Error('stopped here')
    })
    await assert.rejects(stopped, /stopped here/)

    assert.equal(await w.removed(), 0)

    assert.deepEqual(await w.contentsAtHome(), ['a row', 'before'])
  })
})

async function world() {
  const service = await startService()
  const { administrator, ann } = await people(service)
  const { platform } = service
  const home = getShard(platform, HOME)
  const wrote = async (content: string) => {
    const { status } = await ann.post('/api/submit_feedback', { type: 'idea', content })
    assert.equal(status, 200)
  }
  await wrote('before')
  const feedbacks = home.selectFrom('feedbacks').selectAll().where('user_id', '=', ann.id)
  const lost = await feedbacks.execute()
  return {
    service,
    platform,
    administrator,
    ann,
    home,
    wrote,
    /** As if the shard had lost what came later. */
    async getBack(): Promise<void> {
      await home.batch([countFeedbacks(home, lost), home.insertInto('feedbacks').values(lost)])
      await home
        .updateTable('residents')
        .set({ state: 'open', attempt: 0 })
        .where('user_id', '=', ann.id)
        .execute()
    },
    async contentsAtHome(): Promise<readonly string[]> {
      const rows = await home.selectFrom('feedbacks').select('content').execute()
      return rows.map(({ content }) => content).toSorted()
    },
    async contents(): Promise<readonly string[]> {
      const { body } = await administrator.post('/api/admin/list_feedbacks', { user_id: ann.id })
      assert.equal(body.total, body.items.length)
      return body.items.map(({ content }: { content: string }) => content)
    },
    async found(): Promise<readonly string[]> {
      const lines: string[] = []
      for await (const { words } of verifyShards(platform)) lines.push(words)
      return lines
    },
    removed: () => removeCopies(platform, home, new AbortController().signal),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
