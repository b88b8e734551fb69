import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { contentsListed, submitted } from '../../../../../test/service/feedback.ts'
import { it } from '../../../../../test/service/it.ts'
import type { Service } from '../../../../../test/service/service.ts'
import { AWAY, disagreements, HOME, stoppedMove } from '../../../../../test/service/stores/shard-moves.ts'
import { carryOut } from '../../../../operator/moving/move-commands.ts'
import { submitFeedback } from '../../../operations/feedback/feedback.ts'
import { getShard } from '../../shards/shards.ts'

describe('gatehouse shards remove-ownerless', () => {
  it('first says how many users there are, and then removes the rows that belong to nobody', async ({
    service,
    administrator,
    ann,
  }) => {
    await submitted(ann, 'hers')
    for (const nobody of ['nobody', 'no-one'])
      for (const content of ['one', 'two']) await leftBehind(service, nobody, content)

    const counted = await order(service, false)
    assert.deepEqual(counted, {
      words: `${HOME} has rows of 2 users unknown to the global store; --for-good removes them`,
      exitCode: 1,
    })
    assert.equal((await disagreements(service)).length, 6)
    const removed = await order(service, true)
    const again = await order(service, false)

    assert.deepEqual(removed, { words: `the rows of 2 users were removed from ${HOME}`, exitCode: 0 })
    assert.deepEqual(again, { words: `every row of ${HOME} belongs to somebody`, exitCode: 0 })
    assert.deepEqual(await disagreements(service), [])
    assert.deepEqual(await contentsListed(administrator, { user_id: ann.id }), ['hers'])
    const { body } = await administrator.post('/api/admin/list_audit_entries', { action: 'user.erased' })
    assert.deepEqual(body.items.map((item: { subject_id: string }) => item.subject_id).toSorted(), ['no-one', 'nobody'])
  })

  it('leaves the rows of a user who was moved, is being moved or is being erased', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    for (const person of [ann, ben]) await submitted(person, 'a row')
    await stoppedMove(service, ann.id, AWAY, 'opened')
    await administrator.post('/api/admin/delete_user', { id: ben.id })

    const removed = await order(service, true)

    assert.equal(removed.words, `the rows of 0 users were removed from ${HOME}`)
    const kept = await getShard(service.platform, HOME).selectFrom('feedbacks').select('user_id').execute()
    assert.deepEqual(kept.map(({ user_id }) => user_id).toSorted(), [ann.id, ben.id].toSorted())
  })
})

/** Writes a row for a user whom the global store may not know. */
function leftBehind({ platform }: Service, userId: string, content: string) {
  return submitFeedback({ now: () => 1 }, getShard(platform, HOME), userId, { type: 'idea', content, context: {} })
}

function order({ platform }: Service, isForGood: boolean) {
  const watched = { progress: () => undefined, signal: new AbortController().signal }
  return carryOut(platform, { verb: 'remove-ownerless', shardId: HOME, isForGood }, watched)
}
