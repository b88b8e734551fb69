import assert from 'node:assert/strict'
import type { Compilable } from 'kysely'
import { describe, it } from '../../../test/running/node-test.ts'
import { type Person, people } from '../../../test/service/people.ts'
import { type Service, startService } from '../../../test/service/service.ts'
import { fillShard } from '../../../test/service/stores/many-rows.ts'
import type { SnapshotFrom } from '../../database/store.ts'
import { getShard } from '../shards/shards.ts'

const contentsOf = (answer: { readonly body: { readonly items: readonly { content: string }[] } }) =>
  answer.body.items.map(({ content }) => content)

async function submitted(service: Service, person: Person, content: string, type = 'idea') {
  service.clock.advance({ seconds: 1 })
  const answer = await person.post('/api/submit_feedback', { type, content })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.id as string
}

describe('submit_feedback', () => {
  it("rule 1: writes into the caller's own shard, whatever the type, and returns the id", async () => {
    await using service = await startService()
    const { ann } = await people(service)

    const { status, body } = await ann.post('/api/submit_feedback', {
      type: 'no such type',
      content: 'Hello',
    })

    assert.equal(status, 200)
    const { shard_id } = await service.platform.meta
      .selectFrom('user_shards')
      .select('shard_id')
      .where('user_id', '=', ann.id)
      .executeTakeFirstOrThrow()
    const holders = await Promise.all(
      [...service.platform.shards.values()].map(async (shard) => ({
        name: shard.name,
        ids: (await shard.selectFrom('feedbacks').select('id').execute()).map(({ id }) => id),
      })),
    )
    assert.deepEqual(
      holders.filter(({ ids }) => ids.length > 0),
      [{ name: shard_id, ids: [body.id] }],
    )
  })

  it('refuses an empty content, one of 10,001 characters, and a missing or long type', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    const bodies = [
      { type: 'idea', content: '' },
      { type: 'idea', content: 'x'.repeat(10_001) },
      { content: 'Hello' },
      { type: 'x'.repeat(65), content: 'Hello' },
      { type: 'idea', content: 'NUL \0' },
    ]

    const answers = await Promise.all(bodies.map((body) => ann.post('/api/submit_feedback', body)))

    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.code]),
      bodies.map(() => [400, 'INVALID_REQUEST']),
    )
  })
})

describe('list_feedbacks', () => {
  it('skips many rows beside the other requests, and few among them', async (t) => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shard = getShard(service.platform, 'apac-1')
    await fillShard(shard, ann.id, 2_000)
    const { mock } = t.mock.method(shard, 'snapshot')
    const lengthsOf = async (page: number) => {
      mock.resetCalls()
      await administrator.post('/api/admin/list_feedbacks', { page, page_size: 100 })
      return new Set(mock.calls.map(({ arguments: [, , length] }) => length))
    }

    const first = await lengthsOf(1)
    const farther = await lengthsOf(1 + (1_500 * service.platform.shards.size) / 100)

    assert.deepEqual([first.has('long'), farther.has('long')], [false, true])
  })

  it('rule 2: merges every active and draining shard, newest first', async () => {
    await using service = await startService()
    const { administrator, ann, ben } = await people(service)
    await spread(service, [ann, ben])
    await submitted(service, ann, 'first')
    await submitted(service, ben, 'second')
    await submitted(service, ann, 'third')
    await service.platform.meta.updateTable('shards').set({ state: 'draining' }).execute()

    const all = await administrator.post('/api/admin/list_feedbacks')
    const second = await administrator.post('/api/admin/list_feedbacks', { page: 2, page_size: 2 })
    const past = await administrator.post('/api/admin/list_feedbacks', { page: 3, page_size: 2 })

    assert.deepEqual([contentsOf(all), all.body.total], [['third', 'second', 'first'], 3])
    assert.deepEqual([contentsOf(second), second.body.total], [['first'], 3])
    assert.deepEqual([contentsOf(past), past.body.total], [[], 3])
    assert.deepEqual(all.body.items[1], {
      id: all.body.items[1].id,
      user_id: ben.id,
      type: 'idea',
      content: 'second',
      status: 'new',
      note: '',
      created_at: service.clock.now() - 1000,
      updated_at: service.clock.now() - 1000,
    })
  })

  it('filters by user, type, status, text and inclusive time, with an exact total', async () => {
    await using service = await startService()
    const { administrator, ann, ben } = await people(service)
    await spread(service, [ann, ben])
    await submitted(service, ann, 'A 100% bug', 'bug')
    const time = service.clock.now()
    const id = await submitted(service, ann, 'an idea')
    await submitted(service, ben, 'another bug', 'bug')
    await administrator.post('/api/admin/update_feedback', { id, user_id: ann.id, status: 'done' })
    const list = async (filter: object) => {
      const answer = await administrator.post('/api/admin/list_feedbacks', filter)
      assert.equal(answer.body.total, answer.body.items.length)
      return contentsOf(answer)
    }

    assert.deepEqual(await list({ user_id: ann.id }), ['an idea', 'A 100% bug'])
    assert.deepEqual(await list({ type: 'bug' }), ['another bug', 'A 100% bug'])
    assert.deepEqual(await list({ type: 'bug', user_id: ben.id }), ['another bug'])
    assert.deepEqual(await list({ type: 'nothing' }), [])
    assert.deepEqual(await list({ status: 'done' }), ['an idea'])
    assert.deepEqual(await list({ search: 'BUG' }), ['another bug', 'A 100% bug'])
    assert.deepEqual(await list({ search: '0%' }), ['A 100% bug'])
    assert.deepEqual(await list({ search: '_' }), [])
    assert.deepEqual(await list({ created_at_end: time }), ['A 100% bug'])
    assert.deepEqual(await list({ created_at_start: time + 1 }), ['another bug', 'an idea'])
    assert.deepEqual(await list({ created_at_start: new Date(time).toISOString(), created_at_end: time }), [
      'A 100% bug',
    ])
  })

  it('every page is what loading all, sorting and slicing would give, on deep pages too', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    const expected = await unevenRows(service)

    for (const [page, page_size] of [
      [1, 7],
      [3, 100],
      [11, 100],
      [500, 3],
      [19, 100],
      [20, 100],
    ] as const) {
      const { body } = await administrator.post('/api/admin/list_feedbacks', { page, page_size })

      assert.deepEqual(
        body.items.map(({ id }: { id: string }) => id),
        expected.slice((page - 1) * page_size, page * page_size),
        `page ${page} of ${page_size}`,
      )
      assert.equal(body.total, expected.length)
    }
  })

  it('has no row past its total, also if rows are deleted while they are skipped', async (t) => {
    await using service = await startService()
    const { administrator } = await people(service)
    const shard = getShard(service.platform, 'apac-1')
    const all = await unevenRows(service)
    const gone = all.filter((id) => id.endsWith('-0')).slice(0, 400)
    const snapshot = shard.snapshot.bind(shard)
    const { mock } = t.mock.method(shard, 'snapshot')
    mock.mockImplementationOnce(
      async <const Queries extends readonly Compilable<unknown>[]>(queries: Queries, from?: SnapshotFrom) => {
        const rows = await snapshot(queries, from)
        await shard.deleteFrom('feedbacks').where('id', 'in', gone).execute()
        await shard
          .updateTable('feedback_counts')
          .set({ feedbacks: 1_500 - gone.length })
          .execute()
        return rows
      },
    )

    const { body } = await administrator.post('/api/admin/list_feedbacks', { page: 16, page_size: 100 })

    assert.deepEqual(body, { items: [], total: all.length - gone.length })
  })

  it('a shard that is down is 503 and named, never a shorter list', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await service.platform.meta
      .insertInto('shards')
      .values({ id: 'mars-1', region: 'mars', state: 'draining', created_at: 0 })
      .execute()

    const { status, body } = await administrator.post('/api/admin/list_feedbacks')

    assert.deepEqual([status, body.code], [503, 'STORE_UNAVAILABLE'])
    assert.match(body.message, /mars-1/)
  })
})

describe('update_feedback', () => {
  it('sets status and note, leaves the content, and is not found under another user', async () => {
    await using service = await startService()
    const { administrator, ann, ben } = await people(service)
    const id = await submitted(service, ann, 'Hello')
    const update = (user_id: string) =>
      administrator.post('/api/admin/update_feedback', {
        id,
        user_id,
        status: 'in_progress',
        note: 'Asked back',
        content: 'Forged',
      })

    const done = await update(ann.id)
    const wrong = await update(ben.id)
    const nobody = await update('nobody')

    assert.deepEqual(
      [done.body.status, done.body.note, done.body.content],
      ['in_progress', 'Asked back', 'Hello'],
    )
    assert.deepEqual([wrong.status, wrong.body.code], [404, 'NOT_FOUND'])
    assert.deepEqual([nobody.status, nobody.body.code], [404, 'NOT_FOUND'])
  })
})

/** Each person into a shard of their own. */
async function spread(service: Service, persons: readonly Person[]) {
  const shards = [...service.platform.shards.keys()]
  for (const [i, person] of persons.entries()) {
    await service.platform.meta
      .updateTable('user_shards')
      .set({ shard_id: shards[i] ?? '' })
      .where('user_id', '=', person.id)
      .execute()
  }
}

/** Inserts 1,900 rows, unevenly over the shards and with ties; returns the ids in the promised order. */
async function unevenRows(service: Service) {
  const shares = [1_500, 390, 10]
  const rows: { id: string; created_at: number }[] = []
  for (const [i, shard] of [...service.platform.shards.values()].entries()) {
    const share = Array.from({ length: shares[i] ?? 0 }, (_, n) => ({
      id: `${String((n * 7919) % 1901).padStart(5, '0')}-${i}`,
      user_id: 'someone',
      type: 'idea',
      content: 'c',
      status: 'new' as const,
      note: '',
      created_at: Math.floor((n * (i + 1)) / 4),
      updated_at: 0,
    }))
    rows.push(...share)
    await shard.insertInto('feedbacks').values(share).execute()
    await shard
      .insertInto('feedback_counts')
      .values({ kind: 'all', value: '', slot: 0, feedbacks: share.length })
      .execute()
  }
  return rows.sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1)).map(({ id }) => id)
}
