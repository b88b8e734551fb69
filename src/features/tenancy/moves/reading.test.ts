import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { submitted } from '../../../../test/service/feedback.ts'
import { it as withService } from '../../../../test/service/it.ts'
import type { Answer, Person } from '../../../../test/service/people.ts'
import { AWAY, HOME, stoppedMove } from '../../../../test/service/stores/shard-moves.ts'
import { sentAfter } from '../../../../test/service/wire/slow-body.ts'
import { grantCredits } from '../../operations/credits/credits.ts'
import { getShard } from '../shards/shards.ts'
import { moveUser } from './moving.ts'
import { STEPS, type Step } from './user-move.ts'

const ROUNDS = 12

/** What belongs to a person in a shard, by the route that reads it. */
const READS: Readonly<Record<string, (answer: Answer<Body>) => unknown>> = {
  '/api/get_credit_summary': ({ body }) => body.balance,
  '/api/list_credit_entries': ({ body }) => [body.total, body.items.length],
  '/api/list_notifications': ({ body }) => body.items.map(({ read }: { read: boolean }) => read),
  '/api/count_unread_notifications': ({ body }) => body.count,
  '/api/export_account': ({ body }) => [
    body.feedbacks.length,
    body.credits.balance,
    body.credits.entries.length,
    body.notifications.read.length,
  ],
}

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
type Body = any

/** All but the export, which is limited. */
const SMALL_READS = Object.keys(READS).slice(0, 4)
const MOST_EXPORTS = 20

const WHOLE = [7, [1, 1], [false, true], 1, [2, 7, 1, 1]]

/** Ann has two notifications of which one is read, a prize and two feedbacks. */
const it = withService.extend<{ ann: Person }>({
  ann: async ({ service, administrator, ann }, use) => {
    const publish = (title: string) => administrator.post('/api/admin/create_notification', { title, content: 'C' })
    const home = getShard(service.platform, HOME)
    await grantCredits(service.platform, home, ann.id, 7, { type: 'prize', id: '1' })
    for (const content of ['one', 'two']) await submitted(ann, content)
    const { body } = await publish('A')
    service.clock.advance({ seconds: 1 })
    await publish('B')
    await ann.post('/api/read_notification', { id: body.id })
    await use(ann)
  },
})

describe('checklist 82: a user who is being moved reads all of their own data', () => {
  it('when the whole move happens between finding the shard and the read', async ({ service, ann }) => {
    const before = await lookedAt(ann)

    const seen: unknown[] = []
    for (const [i, [path, look]] of Object.entries(READS).entries()) {
      const move = () => moveUser(service.platform, ann.id, i % 2 === 0 ? AWAY : HOME)
      const answer = await sentAfter(ann, path, move)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      seen.push(look(answer))
    }

    assert.deepEqual([before, seen], [WHOLE, WHOLE])
  })

  it('when the user is moved away and half of their rows are back, between finding the shard and the read', async ({
    service,
    ann,
  }) => {
    const awayAndHalfBack = async (step: Step) => {
      await moveUser(service.platform, ann.id, AWAY)
      await stoppedMove(service, ann.id, HOME, step)
    }

    for (const step of STEPS) {
      const seen: unknown[] = []
      for (const [path, look] of Object.entries(READS)) {
        seen.push(look(await sentAfter(ann, path, () => awayAndHalfBack(step))))
        await moveUser(service.platform, ann.id, HOME)
      }
      assert.deepEqual(seen, WHOLE, step)
    }
  })

  it('after each step of a move that was stopped there', async ({ service, administrator, ann }) => {
    for (const step of STEPS) {
      await stoppedMove(service, ann.id, AWAY, step)
      assert.deepEqual(await lookedAt(ann), WHOLE, step)
      assert.deepEqual(await facts(administrator, ann), { balance: 7, feedbacks: 2 }, step)
      await moveUser(service.platform, ann.id, AWAY)
      await moveUser(service.platform, ann.id, HOME)
    }
  })

  it('while they are moved back and forth, and each write is in the read that follows it', async ({
    service,
    administrator,
    ann,
  }) => {
    let moves = 0
    let isOn = true
    const moving = (async () => {
      for (; isOn; moves++) await moveUser(service.platform, ann.id, moves % 2 === 0 ? AWAY : HOME)
    })()

    let written = 2
    let exported = 0
    while (moves < ROUNDS) {
      const { status } = await ann.post('/api/submit_feedback', { type: 'idea', content: 'More' })
      if (status === 200) written++
      if (exported++ < MOST_EXPORTS) {
        const answer = await ann.post('/api/export_account')
        assert.deepEqual(READS['/api/export_account']?.(answer), [written, 7, 1, 1])
      }
      assert.deepEqual(await lookedAt(ann, SMALL_READS), WHOLE.slice(0, SMALL_READS.length))
      assert.deepEqual(await facts(administrator, ann), { balance: 7, feedbacks: written })
      await nextTurn()
    }
    isOn = false
    await moving
  })

  it('who was deleted in the meantime is signed out, and unknown to the administrator', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const remove = (person: Person) => async () => {
      await administrator.post('/api/admin/delete_user', { id: person.id })
      await service.runJob('erasure')
    }

    const own = await sentAfter(ann, '/api/get_credit_summary', remove(ann))
    const looked = await sentAfter(administrator, '/api/admin/get_user', remove(ben), { id: ben.id })

    assertRefused(own, 'UNAUTHORIZED')
    assertRefused(looked, 'NOT_FOUND')
  })
})

async function lookedAt(person: Person, paths = Object.keys(READS)): Promise<readonly unknown[]> {
  const seen: unknown[] = []
  for (const path of paths) seen.push(READS[path]?.(await person.post(path)))
  return seen
}

async function facts(administrator: Person, person: Person) {
  const { body } = await administrator.post('/api/admin/get_user', { id: person.id })
  return { balance: body.balance, feedbacks: body.feedbacks }
}
