import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { it } from '../../../../test/service/it.ts'
import type { Person } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { fillShard } from '../../../../test/service/stores/many-rows.ts'
import { CALLER_LIMITS } from '../../../rules/caller-limits.ts'
import { rowOf } from '../../ground/acts/acts.ts'
import { insertEvents } from '../../ground/events/statements.ts'
import { moveUser } from '../../tenancy/moves/moving.ts'
import { getShard } from '../../tenancy/shards/shards.ts'

const HOME = 'apac-1'

/** Leaves the body of the response unread. */
function beginExport({ request }: Pick<Service, 'request'>, { token }: Person): Promise<Response> {
  return request('/api/export_account', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: '{}',
  })
}

/** Writes `each` acts by the first user, and as many by the second on the first. */
async function fillLog({ platform }: Service, done: Person, suffered: Person, each: number): Promise<void> {
  const subject = { type: 'user', id: done.id } as const
  const entries = Array.from({ length: 2 * each }, (_, n) => {
    const by = n % 2 === 0 ? done : suffered
    return insertEvents(platform.meta, rowOf({ platform }, 'user.sign_in', { by, subject, details: { n } }))
  })
  await platform.meta.batch(entries)
}

describe('106. the export of an account', () => {
  it('has every row once and in order, however many pages they fill', async ({ service, ann, ben }) => {
    await fillShard(getShard(service.platform, HOME), ann.id, 501)
    await fillLog(service, ann, ben, 251)

    const { body } = await ann.post('/api/export_account')

    const numbers = Array.from({ length: 501 }, (_, i) => i)
    const { feedbacks, credits, notifications, audit } = body
    assert.deepEqual(
      feedbacks.map(({ created_at }: { created_at: number }) => created_at),
      numbers,
    )
    assert.deepEqual(
      credits.entries.map(({ created_at }: { created_at: number }) => created_at),
      numbers,
    )
    assert.deepEqual(notifications.read.toSorted(), numbers.map((n) => `n-${n}`).toSorted())
    assert.deepEqual(
      audit.slice(-502).map(({ details }: { details: { n: number } }) => details.n),
      Array.from({ length: 502 }, (_, i) => i),
    )
  })

  it('reads a page when the client has taken the one before, and at most 250 rows at once', async ({
    service,
    ann,
    mock,
  }) => {
    const shard = getShard(service.platform, HOME)
    await fillShard(shard, ann.id, 501)
    const lengths: number[] = []
    const read = shard.snapshot.bind(shard) as (...of: unknown[]) => Promise<readonly (readonly unknown[])[]>
    const { mock: snapshots } = mock.method(shard, 'snapshot', async (...of: unknown[]) => {
      const pages = await read(...of)
      lengths.push(...pages.map((rows) => rows.length))
      return pages
    })

    const { body } = await beginExport(service, ann)
    for (let turns = 0; turns < 50; turns++) await nextTurn()
    const before = snapshots.callCount()
    await new Response(body).text()

    assert.ok(before <= 2, `${before}`)
    assert.ok(snapshots.callCount() >= before + 501 / 25, `${snapshots.callCount()}`)
    assert.equal(Math.max(...lengths), 250)
  })

  it('continues in the other shard if the user is moved meanwhile', async ({ service, ann }) => {
    await fillShard(getShard(service.platform, HOME), ann.id, 60)

    const { body } = await beginExport(service, ann)
    await moveUser(service.platform, ann.id, 'oc-1')
    const { feedbacks } = (await new Response(body).json()) as { feedbacks: { id: string }[] }

    assert.equal(new Set(feedbacks.map(({ id }) => id)).size, 60)
  })

  it('is cut off if it is not read within ten minutes', async ({ service, ann }) => {
    for (const [seconds, isWhole] of [
      [599, true],
      [600, false],
    ] as const) {
      const { body } = await beginExport(service, ann)
      service.clock.advance({ seconds })
      const read = new Response(body).text()

      assert.equal(await read.then(Boolean, () => false), isWhole)
    }
  })

  it('that exceeds its time does not end the one that has begun since', async ({ service, ann }) => {
    const late = await beginExport(service, ann)
    service.clock.advance({ seconds: 721 })
    const current = await beginExport(service, ann)
    await assert.rejects(late.text())

    const third = await ann.post('/api/export_account')
    await current.text()

    assert.equal(current.status, 200)
    assertRefused(third, 'RATE_LIMITED')
  })

  it('runs one at a time for each user, across processes, until it ends or its client leaves', async ({
    service,
    ann,
    ben,
  }) => {
    const first = await beginExport(service, ann)
    for (let asked = 0; asked < CALLER_LIMITS.exports.most; asked++) await ann.post('/api/export_account')
    const second = await ann.post('/api/export_account')
    const elsewhere = await beginExport({ request: service.requestElsewhere }, ann)
    const other = await ben.post('/api/export_account')
    await first.text()
    const third = await beginExport(service, ann)
    await third.body?.cancel()
    let fourth = await ann.post('/api/export_account')
    while (fourth.status === 429) fourth = await ann.post('/api/export_account')

    assertRefused(second, 'RATE_LIMITED')
    assert.equal(second.headers.get('retry-after'), '10')
    assert.deepEqual([elsewhere.status, other.status, third.status, fourth.status], [429, 200, 200, 200])
  })
})
