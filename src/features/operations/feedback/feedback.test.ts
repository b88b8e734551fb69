import assert from 'node:assert/strict'
import type { Compilable } from 'kysely'
import { describe } from 'vitest'
import { assertRefused, eachOf } from '../../../../test/service/answers.ts'
import { contentsListed, submitted } from '../../../../test/service/feedback.ts'
import { it } from '../../../../test/service/it.ts'
import type { Person } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { fillShard } from '../../../../test/service/stores/many-rows.ts'
import type { Reads } from '../../../database/store.ts'
import { moveUser } from '../../tenancy/moves/moving.ts'
import { getShard } from '../../tenancy/shards/shards.ts'
import { shardIdOf } from '../../tenancy/shards/statements.ts'
import { eraseFeedbacks } from './statements.ts'

describe('submit_feedback', () => {
  it("rule 1: writes into the caller's own shard, whatever the type", async ({ service, ann }) => {
    const id = await submitted(ann, 'Hello', 'no such type')

    const { meta, shards } = service.platform
    const holders = await Promise.all(
      [...shards.values()].map(async (shard) => [
        shard.name,
        await shard.selectFrom('feedbacks').select('id').execute(),
      ]),
    )
    assert.deepEqual(
      holders.filter(([, rows = []]) => rows.length > 0),
      [[await shardIdOf(meta, ann.id), [{ id }]]],
    )
  })
})

describe('107. the feedback of one user', () => {
  async function bytesOf({ platform }: Service, { id }: Person) {
    const shard = getShard(platform, (await shardIdOf(platform.meta, id)) ?? '')
    const { bytes } = await shard
      .selectFrom('feedback_counts')
      .select('bytes')
      .where('value', '=', id)
      .executeTakeFirstOrThrow()
    return bytes
  }

  it('ends at 100 MB, whatever others have sent', async ({ service, ann, ben }) => {
    await submitted(ann, 'x'.repeat(200))
    await setBytes(service, ann, 100_000_000 - 100 - 4 - 200)

    const over = await ann.post('/api/submit_feedback', { type: 'idea', content: `${'é'.repeat(100)}.` })
    const last = await ann.post('/api/submit_feedback', { type: 'idea', content: 'é'.repeat(100) })
    const beyond = await ann.post('/api/submit_feedback', { type: 'idea', content: 'x' })
    const other = await ben.post('/api/submit_feedback', { type: 'idea', content: 'x' })

    assert.deepEqual([last.status, other.status], [200, 200])
    for (const refused of [over, beyond]) assertRefused(refused, 'QUOTA_EXCEEDED')
    assert.equal(await bytesOf(service, ann), 100_000_000)
  })

  it('is counted with each row, in a move too, and from the rows if it was not counted before', async ({
    service,
    ann,
  }) => {
    const each = 100 + 'idea'.length + 'Hello'.length
    for (let i = 0; i < 2; i++) await submitted(ann, 'Hello')
    const counted = await bytesOf(service, ann)
    await setBytes(service, ann, null)
    await submitted(ann, 'Hello')
    const recounted = await bytesOf(service, ann)
    await moveUser(service.platform, ann.id, 'oc-1')
    const moved = await bytesOf(service, ann)

    assert.deepEqual([counted, recounted, moved], [2 * each, 3 * each, 3 * each])
  })

  it('is less as soon as some of it is erased', async ({ service, ann }) => {
    const shard = getShard(service.platform, 'apac-1')
    for (const content of ['one', 'three', 'four']) await submitted(ann, content)

    await shard.batch(eraseFeedbacks(shard, ann.id, 2))

    assert.equal(await bytesOf(service, ann), 100 + 'idea'.length + 'four'.length)
  })

  async function setBytes({ platform }: Service, { id }: Person, bytes: number | null) {
    const shard = getShard(platform, (await shardIdOf(platform.meta, id)) ?? '')
    await shard.updateTable('feedback_counts').set({ bytes }).where('value', '=', id).execute()
  }
})

describe('list_feedbacks', () => {
  it('skips many rows in a long read, and few in a short one', async ({ service, administrator, ann, mock }) => {
    const shard = getShard(service.platform, 'apac-1')
    await fillShard(shard, ann.id, 2_000)
    const { mock: snapshots } = mock.method(shard, 'snapshot')
    const lengthsOf = async (page: number) => {
      snapshots.resetCalls()
      await administrator.post('/api/admin/list_feedbacks', { page, page_size: 100 })
      return new Set(snapshots.calls.map(({ arguments: [, , length] }) => length))
    }

    const first = await lengthsOf(1)
    const farther = await lengthsOf(1 + (1_500 * service.platform.shards.size) / 100)

    assert.deepEqual([first.has('long'), farther.has('long')], [false, true])
  })

  it('rule 2: merges every active and draining shard, newest first', async ({ service, administrator, ann, ben }) => {
    await spread(service, [ann, ben])
    for (const [person, content] of [
      [ann, 'first'],
      [ben, 'second'],
      [ann, 'third'],
    ] as const)
      await submittedLater(service, person, content)
    await service.platform.meta.updateTable('shards').set({ state: 'draining' }).execute()

    const all = await administrator.post('/api/admin/list_feedbacks')
    const second = await administrator.post('/api/admin/list_feedbacks', { page: 2, page_size: 2 })
    const past = await administrator.post('/api/admin/list_feedbacks', { page: 3, page_size: 2 })

    const shown = [all, second, past].map((answer) => [eachOf(answer, 'content'), answer.body.total])
    assert.deepEqual(shown, [
      [['third', 'second', 'first'], 3],
      [['first'], 3],
      [[], 3],
    ])
    const at = service.clock.now() - 1000
    assert.deepEqual(all.body.items[1], {
      ...{ id: all.body.items[1].id, user_id: ben.id, type: 'idea', content: 'second' },
      ...{ status: 'new', note: '', context: {}, reply: '', replied_at: null, handled_by: null },
      ...{ created_at: at, updated_at: at },
    })
  })

  it('filters by user, type, status, text and inclusive time, with an exact total', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    await spread(service, [ann, ben])
    await submittedLater(service, ann, 'A 100% bug', 'bug')
    const time = service.clock.now()
    const id = await submittedLater(service, ann, 'an idea')
    await submittedLater(service, ben, 'another bug', 'bug')
    await administrator.post('/api/admin/update_feedback', { id, user_id: ann.id, status: 'done' })

    for (const [filter, contents] of [
      [{ user_id: ann.id }, ['an idea', 'A 100% bug']],
      [{ type: 'bug' }, ['another bug', 'A 100% bug']],
      [{ type: 'bug', user_id: ben.id }, ['another bug']],
      [{ type: 'nothing' }, []],
      [{ status: 'done' }, ['an idea']],
      [{ search: 'BUG' }, ['another bug', 'A 100% bug']],
      [{ search: '0%' }, ['A 100% bug']],
      [{ search: '_' }, []],
      [{ created_at_end: time }, ['A 100% bug']],
      [{ created_at_start: time + 1 }, ['another bug', 'an idea']],
      [{ created_at_start: new Date(time).toISOString(), created_at_end: time }, ['A 100% bug']],
    ] as const)
      assert.deepEqual(await contentsListed(administrator, filter), contents, JSON.stringify(filter))
  })

  it('a search finds words in any order, without case and accents, in every script', async ({ administrator, ann }) => {
    const contents = ['Das MÜLLER-Menü ist kaputt', 'İstanbul ΟΔΟΣ', 'łódź æther ™', 'Plain Words, 100%']
    for (const content of contents) await ann.post('/api/submit_feedback', { type: 'bug', content })

    for (const [search, at] of [
      ['menu muller', 0],
      ['KAPUTT das', 0],
      ['istanbul', 1],
      ['οδος', 1],
      ['LODZ AETHER tm', 2],
      [' words plain ', 3],
      ['100% W', 3],
    ] as const)
      assert.deepEqual(await contentsListed(administrator, { search }), [contents[at]], search)
    for (const search of ['muller plain', 'm_ller', '\u0308'])
      assert.deepEqual(await contentsListed(administrator, { search }), [], search)
    assert.equal((await contentsListed(administrator, { search: '  ' })).length, contents.length)
  })

  it('checklist 106: a page of the longest is whole, and valid JSON, however it is made', async ({
    administrator,
    ann,
  }) => {
    const contents = Array.from({ length: 25 }, (_, i) => `${i}${'\u0001語"\\'.repeat(2_499)}`)
    for (const content of contents) await ann.post('/api/submit_feedback', { type: 'bug', content })

    const listed = await administrator.post('/api/admin/list_feedbacks', { page_size: 100 })
    const own = await ann.post('/api/list_own_feedbacks', { page_size: 100 })

    for (const { status, body, headers } of [listed, own]) {
      assert.deepEqual([status, body.total, headers.get('content-type')], [200, 25, 'application/json'])
      assert.deepEqual(
        body.items.map(({ content }: { readonly content: string }) => content),
        contents.toReversed(),
      )
    }
  })

  it('every page, also a deep one, is a slice of all, sorted', async ({ service, administrator }) => {
    const expected = await unevenRows(service)

    for (const [page, page_size] of [
      [1, 7],
      [3, 100],
      [11, 100],
      [500, 3],
      [19, 100],
      [20, 100],
    ] as const) {
      const answer = await administrator.post('/api/admin/list_feedbacks', { page, page_size })

      const wanted = expected.slice((page - 1) * page_size, page * page_size)
      assert.deepEqual(eachOf(answer, 'id'), wanted, `page ${page} of ${page_size}`)
      assert.equal(answer.body.total, expected.length)
    }
  })

  it('has no row past its total, also if some vanish meanwhile', async ({ service, administrator, mock }) => {
    const shard = getShard(service.platform, 'apac-1')
    const all = await unevenRows(service)
    const gone = all.filter((id) => id.endsWith('-0')).slice(0, 400)
    const snapshot = shard.snapshot.bind(shard)
    mock
      .method(shard, 'snapshot')
      .mock.mockImplementationOnce(
        async <const Queries extends readonly Compilable<unknown>[]>(queries: Queries, from?: Reads) => {
          const rows = await snapshot(queries, from)
          await shard.deleteFrom('feedbacks').where('id', 'in', gone).execute()
          const feedbacks = 1_500 - gone.length
          await shard.updateTable('feedback_counts').set({ feedbacks }).execute()
          return rows
        },
      )

    const { body } = await administrator.post('/api/admin/list_feedbacks', { page: 16, page_size: 100 })

    assert.deepEqual(body, { items: [], total: all.length - gone.length })
  })

  it('a shard that is down is 503 and named, never a shorter list', async ({ service, administrator, ann }) => {
    const { meta } = service.platform
    const mars = { id: 'mars-1', region: 'mars', state: 'draining', created_at: 0 } as const
    await meta.insertInto('shards').values(mars).execute()
    await meta.updateTable('user_shards').set({ shard_id: 'mars-1' }).where('user_id', '=', ann.id).execute()

    const answer = await administrator.post('/api/admin/list_feedbacks')

    assertRefused(answer, 'STORE_UNAVAILABLE')
    assert.match(answer.body.message, /mars-1/)
  })
})

describe('update_feedback', () => {
  it('sets status and note, takes no content, and is not found under another user', async ({
    administrator,
    ann,
    ben,
  }) => {
    const id = await submitted(ann)
    const set = { status: 'in_progress', note: 'Asked back' }
    const update = (user_id: string) => administrator.post('/api/admin/update_feedback', { id, user_id, ...set })

    const { body } = await update(ann.id)
    const forged = { id, user_id: ann.id, content: 'Forged' }

    assertRefused(await administrator.post('/api/admin/update_feedback', forged), 'INVALID_REQUEST', 'content')
    assert.deepEqual([body.status, body.note, body.content], ['in_progress', 'Asked back', 'Hello'])
    for (const other of [ben.id, 'nobody']) assertRefused(await update(other), 'NOT_FOUND')
  })
})

function submittedLater(service: Service, ...written: Parameters<typeof submitted>): Promise<string> {
  service.clock.advance({ seconds: 1 })
  return submitted(...written)
}

/** Each person into a shard of their own. */
async function spread(service: Service, persons: readonly Person[]) {
  const { meta, shards } = service.platform
  for (const [i, shard_id] of [...shards.keys()].entries()) {
    const assignment = meta.updateTable('user_shards').where('user_id', '=', persons[i]?.id ?? '')
    await assignment.set({ shard_id }).execute()
  }
}

/** Inserts 1,900 rows, unevenly over the shards and with ties; returns the ids in the promised order. */
async function unevenRows(service: Service) {
  const shares = [1_500, 390, 10]
  const rows: { id: string; created_at: number }[] = []
  for (const [i, shard] of [...service.platform.shards.values()].entries()) {
    const share = Array.from({ length: shares[i] ?? 0 }, (_, n) => ({
      id: `${String((n * 7919) % 1901).padStart(5, '0')}-${i}`,
      ...{ user_id: 'someone', type: 'idea', content: 'c', status: 'new' as const, note: '' },
      ...{ context: '{}', reply: '' },
      ...{ created_at: Math.floor((n * (i + 1)) / 4), updated_at: 0 },
    }))
    rows.push(...share)
    await shard.insertInto('feedbacks').values(share).execute()
    const counted = { kind: 'all', value: '', slot: 0, feedbacks: share.length } as const
    await shard.insertInto('feedback_counts').values(counted).execute()
  }
  return rows.sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1)).map(({ id }) => id)
}
