import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { contentsListed, submitted } from '../../../../test/service/feedback.ts'
import { it } from '../../../../test/service/it.ts'
import { newcomer, type Person } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { AWAY, endMoves, HOME, setState, stopAt, stoppedMove } from '../../../../test/service/stores/shard-moves.ts'
import type { ShardMovesTable } from '../../../database/schema/shards.ts'
import { grantCredits } from '../../operations/credits/credits.ts'
import { submitFeedback } from '../../operations/feedback/feedback.ts'
import { MoveTakenOver } from '../shards/holding.ts'
import { getShard } from '../shards/shards.ts'
import { moveUser } from './moving.ts'
import { type OnStep, STEPS, type Step } from './user-move.ts'

describe('moving a user to another shard', () => {
  it('takes feedback, counts, read marks, credits and ledger along, and leaves nothing', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const home = getShard(service.platform, HOME)
    await grantCredits(service.platform, home, ann.id, 7, { type: 'prize', id: '1' })
    await submitted(ann, 'one')
    await submitted(ben, "Ben's")
    await ann.post('/api/read_notification', { id: 'a-notification' })

    assert.equal(await moveUser(service.platform, ann.id, AWAY), 'moved')

    assert.deepEqual(await holdersOf(service, ann.id), [AWAY])
    assert.deepEqual(await contentsListed(administrator, { user_id: ann.id }), ['one'])
    for (const filter of [{}, { type: 'idea' }]) assert.equal((await contentsListed(administrator, filter)).length, 2)
    assert.equal((await ann.post('/api/get_credit_summary')).body.balance, 7)
    assert.equal((await ann.post('/api/list_credit_entries')).body.total, 1)
    await submitted(ann, 'two')
    assert.deepEqual(await contentsListed(administrator, { user_id: ann.id }), ['two', 'one'])
    assert.equal(await moveUser(service.platform, ann.id, AWAY), 'there already')
  })

  it('is not disturbed by the sweep of expired keys', async ({ service, ann }) => {
    const key = { 'idempotency-key': 'a key' }
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'one' }, key)
    service.clock.advance({ hours: 25 })
    const keysIn = async (shard: string) =>
      (await getShard(service.platform, shard).selectFrom('idempotency_keys').select('id').execute()).length
    const before: number[] = []
    const sweepInBetween = async (step: string) => {
      if (step === 'copied') await service.runJob('idempotency-sweep')
      if (step === 'compared') before.push(await keysIn(HOME), await keysIn(AWAY))
    }

    assert.equal(await moveUser(service.platform, ann.id, AWAY, sweepInBetween), 'moved')
    await service.runJob('idempotency-sweep')

    assert.deepEqual(before, [1, 1])
    assert.equal(await keysIn(AWAY), 0)
  })

  it('stopped after any step and begun again, neither loses nor doubles what the user wrote in the meantime', async ({
    service,
    administrator,
  }) => {
    for (const step of STEPS) {
      const ann = await newcomer(service, `${step}@example.com`)
      await submitted(ann, 'before')
      const acknowledged = ['before']

      await stoppedMove(service, ann.id, AWAY, step)
      if ((await tryToWrite(ann, 'while it stands')) === 200) acknowledged.unshift('while it stands')
      await moveUser(service.platform, ann.id, AWAY, stopAt(step)).catch(() => undefined)
      await endMoves(service)
      await submitted(ann, 'after')

      assert.deepEqual(await contentsListed(administrator, { user_id: ann.id }), ['after', ...acknowledged], step)
      assert.deepEqual(await holdersOf(service, ann.id), [AWAY], step)
    }
  })

  it('a mover that was suspended during a whole move there and back changes nothing when it resumes', async ({
    service,
    administrator,
  }) => {
    for (const step of STEPS) {
      const ann = await newcomer(service, `${step}@example.com`)
      await submitted(ann, 'first')
      const asleep = sleepAt(step)
      const sleeper = moveUser(service.platform, ann.id, AWAY, asleep.onStep)
      await asleep.fallen

      await moveUser(service.platform, ann.id, AWAY)
      await submitted(ann, 'second')
      await moveUser(service.platform, ann.id, HOME)
      await submitted(ann, 'third')
      asleep.wake()
      await assert.rejects(sleeper, MoveTakenOver, step)

      assert.deepEqual(await contentsListed(administrator, { user_id: ann.id }), ['third', 'second', 'first'], step)
      assert.deepEqual(await holdersOf(service, ann.id), [HOME], step)
      assert.equal(await tryToWrite(ann, 'fourth'), 200, step)
    }
  })

  it('of several movers at once, one moves the user, who stays whole', async ({ service, administrator, ann }) => {
    await submitted(ann, 'one')

    const five = Array.from({ length: 5 }, () => moveUser(service.platform, ann.id, AWAY))
    const outcomes = await Promise.allSettled(five)
    await endMoves(service)

    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof MoveTakenOver)
    assert.deepEqual(await contentsListed(administrator, { user_id: ann.id }), ['one'])
    assert.deepEqual(await holdersOf(service, ann.id), [AWAY])
  })

  it('a long one is not mistaken for an abandoned one: the service waits for as long as it continues', async ({
    service,
    ann,
  }) => {
    await submitted(ann, 'one')
    const slowly: OnStep = async () => {
      service.clock.advance({ seconds: 20 })
      await service.runJob('moves')
    }

    assert.equal(await moveUser(service.platform, ann.id, AWAY, slowly), 'moved')
  })

  it('a user deleted during the move leaves nothing in either shard', async ({ service, administrator }) => {
    for (const step of STEPS) {
      const ann = await newcomer(service, `${step}@example.com`)
      await submitted(ann, 'one')
      await stoppedMove(service, ann.id, AWAY, step)

      await administrator.post('/api/admin/delete_user', { id: ann.id })
      await service.runJob('erasure')
      await endMoves(service)

      assert.deepEqual(await holdersOf(service, ann.id), [], step)
      assert.deepEqual(await contentsListed(administrator), [], step)
    }
  })

  it('a write on its way to the old shard at the switch is refused, not lost', async ({ service, ann }) => {
    const old = getShard(service.platform, HOME)

    await moveUser(service.platform, ann.id, AWAY)

    await assert.rejects(
      submitFeedback({ now: () => 1 }, old, ann.id, { type: 'idea', content: 'late', context: {} }),
      {
        name: 'StoreUnavailable',
      },
    )
  })

  it('refuses an unknown user, an unknown or draining shard, and a second destination', async ({
    service,
    administrator,
    ann,
  }) => {
    const { platform } = service
    await setState(administrator, 'weur-1', 'draining')

    await assert.rejects(moveUser(platform, 'nobody', AWAY), /there is no user nobody/)
    await assert.rejects(moveUser(platform, ann.id, 'mars-1'), { name: 'StoreUnavailable' })
    await assert.rejects(moveUser(platform, ann.id, 'weur-1'), /not an active shard/)
    await stoppedMove(service, ann.id, AWAY, 'copied')
    await setState(administrator, 'weur-1', 'active')
    await assert.rejects(moveUser(platform, ann.id, 'weur-1'), /is being moved to oc-1/)
  })

  it('takes users along whose switch the global store has lost in a failover', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const { meta } = service.platform
    const assignment = meta.selectFrom('user_shards').selectAll()
    for (const person of [ann, ben]) await submitted(person, 'before')
    const anns = await assignment.where('user_id', '=', ann.id).executeTakeFirstOrThrow()
    await moveUser(service.platform, ann.id, AWAY)
    const moves: ShardMovesTable[] = []
    await moveUser(service.platform, ben.id, AWAY, async (step) => {
      if (step === 'compared') moves.push(...(await meta.selectFrom('shard_moves').selectAll().execute()))
    })
    for (const person of [ann, ben]) await submitted(person, 'moved')

    await meta.updateTable('user_shards').set({ shard_id: HOME }).execute()
    await meta.updateTable('user_shards').set(anns).where('user_id', '=', ann.id).execute()
    await meta.insertInto('shard_moves').values(moves).execute()
    assert.equal(await tryToWrite(ann, 'refused'), 503)
    assert.equal(await moveUser(service.platform, ann.id, AWAY), 'moved')
    await endMoves(service)

    for (const person of [ann, ben]) {
      await submitted(person, 'after')
      assert.deepEqual(await contentsListed(administrator, { user_id: person.id }), ['after', 'moved', 'before'])
      assert.deepEqual(await holdersOf(service, person.id), [AWAY])
    }
  })

  it('does not begin if the other shard has stray rows', async ({ service, administrator, ann }) => {
    await submitted(ann, 'at home')
    await submitFeedback({ now: () => 1 }, getShard(service.platform, AWAY), ann.id, {
      type: 'idea',
      content: 'stray',
      context: {},
    })

    await assert.rejects(moveUser(service.platform, ann.id, AWAY), /do not belong there/)
    assert.equal(await moveUser(service.platform, ann.id, 'weur-1'), 'moved')

    await submitted(ann, 'moved')
    assert.deepEqual(await contentsListed(administrator, { user_id: ann.id }), ['moved', 'at home', 'stray'])
  })
})

async function tryToWrite(person: Person, content: string): Promise<number> {
  const answer = await person.post('/api/submit_feedback', { type: 'idea', content })
  if (answer.status !== 200) assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '2'])
  return answer.status
}

/** The shards that hold any row of this user, counters included. */
async function holdersOf({ platform }: Service, userId: string): Promise<readonly string[]> {
  const held = await Promise.all(
    [...platform.shards.values()].map(async (shard) => {
      const own = (['feedbacks', 'notification_reads', 'credit_balance', 'credit_entries'] as const).map((table) =>
        shard.selectFrom(table).select('user_id').where('user_id', '=', userId).execute(),
      )
      const counted = shard.selectFrom('feedback_counts').select('value').where('value', '=', userId).execute()
      const rows = await Promise.all([...own, counted])
      return rows.some((found) => found.length > 0) ? [shard.name] : []
    }),
  )
  return held.flat()
}

function sleepAt(step: Step) {
  const woken = Promise.withResolvers<void>()
  const fallen = Promise.withResolvers<void>()
  const onStep: OnStep = async (reached) => {
    if (reached !== step) return
    fallen.resolve()
    await woken.promise
  }
  return { onStep, fallen: fallen.promise, wake: () => woken.resolve() }
}
