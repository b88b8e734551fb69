import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it, titlesOf } from '../../../../test/service/notifications.ts'
import type { Person } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { HOME } from '../../../../test/service/stores/shard-moves.ts'
import { getShard } from '../../tenancy/shards/shards.ts'

/** Stores a mark as an older version would have accepted it. */
async function storeMark({ platform }: Service, userId: string, notificationId: string) {
  const shard = getShard(platform, HOME)
  await shard.insertInto('notification_reads').values({ notification_id: notificationId, user_id: userId }).execute()
}

describe('list_notifications', () => {
  it('rule 3: global ones and those targeted at the caller, newest first', async ({ ann, ben, publish }) => {
    await publish('For all')
    await publish('For Ann', { target_user_id: ann.id })
    await publish('For Ben', { target_user_id: ben.id })
    await publish('For all again', { target_user_id: null })

    const lists = await Promise.all([ann, ben].map((person) => person.post('/api/list_notifications')))

    assert.deepEqual(lists.map(titlesOf), [
      ['For all again', 'For Ann', 'For all'],
      ['For all again', 'For Ben', 'For all'],
    ])
  })

  it('rule 4: with a read filter, total is the filtered length on every page', async ({ ann, publish }) => {
    const ids = [await publish('One'), await publish('Two'), await publish('Three')]
    await ann.post('/api/read_notification', { id: ids[1] })

    assert.deepEqual(await page(ann, { read: false, page_size: 1 }), [['Three'], 2])
    assert.deepEqual(await page(ann, { read: false, page: 9 }), [[], 2])
    assert.deepEqual(await page(ann, { read: true }), [['Two'], 1])
    assert.equal((await ann.post('/api/list_notifications', { read: true })).body.items[0].read, true)
  })

  it('rule 4: without it, total is the count of visible rows, also past the end', async ({ ann, ben, publish }) => {
    await publish('One')
    await publish('Two')
    await publish('Not for Ann', { target_user_id: ben.id })

    assert.deepEqual(await page(ann, { page_size: 1 }), [['Two'], 2])
    assert.deepEqual(await page(ann, { page_size: 1, page: 2 }), [['One'], 2])
    assert.deepEqual(await page(ann, { page: Number.MAX_SAFE_INTEGER }), [[], 2])
  })

  it('filters by type and by an inclusive time in milliseconds or ISO 8601, without seconds and in any time zone too', async ({
    service,
    ann,
    publish,
  }) => {
    await publish('One', { type: 'release' })
    const first = service.clock.now()
    await publish('Two')
    const second = service.clock.now()
    await publish('Three', { type: 'release' })
    const minute = new Date(second).toISOString().slice(0, 16)

    for (const [filter, titles] of [
      [{ type: 'release' }, ['Three', 'One']],
      [{ created_at_start: second }, ['Three', 'Two']],
      [{ created_at_end: new Date(second).toISOString() }, ['Two', 'One']],
      [{ created_at_start: first, created_at_end: first }, ['One']],
      [{ created_at_start: second, read: false }, ['Three', 'Two']],
      [{ created_at_start: '2026-11-21', created_at_end: '2026-11-21' }, ['Three', 'Two', 'One']],
      ...[minute, `${minute}Z`, `${minute}+00:00`, `${minute}+01:00`].map(
        (start) => [{ created_at_start: start }, ['Three', 'Two', 'One']] as const,
      ),
      [{ created_at_start: `${minute}-01:00` }, []],
    ] as const)
      assert.deepEqual(await page(ann, filter), [titles, titles.length], JSON.stringify(filter))
  })
})

describe('read_notification', () => {
  it('marks exactly the id that was sent, whatever is stored as one', async ({ service, ann, publish }) => {
    const id = await publish('One')
    await storeMark(service, ann.id, `${id}\nof another age`)

    assert.deepEqual(await page(ann, { read: false }), [['One'], 1])
    assert.equal(await countOf(ann), 1)
  })

  it('rule 5: any id, existing or not, any number of times, is {}', async ({ ann, ben, publish }) => {
    const id = await publish('One')

    const answers = []
    for (const sent of [id, id, 'there is no such thing'])
      answers.push(await ann.post('/api/read_notification', { id: sent }))

    for (const { status, body } of answers) assert.deepEqual([status, body], [200, {}])
    assert.deepEqual([await page(ann, { read: true }), await page(ben, { read: false })], Array(2).fill([['One'], 1]))
  })
})

describe('unread notifications', () => {
  it('are counted exactly, and read_all returns how many were newly marked as read', async ({ ann, ben, publish }) => {
    const first = await publish('One')
    await publish('Two', { target_user_id: ann.id })
    await publish('Not for Ann', { target_user_id: ben.id })
    await ann.post('/api/read_notification', { id: first })
    await ann.post('/api/read_notification', { id: 'unknown' })

    const before = await countOf(ann)
    const marked = await countOf(ann, 'read_all')
    const after = await countOf(ann)
    const again = await countOf(ann, 'read_all')

    assert.deepEqual([before, marked, after, again, await countOf(ben)], [1, 1, 0, 0, 2])
  })

  it('an id with quotes, a backslash and other scripts is read like any other', async ({ service, ann }) => {
    const ids = ['say "now"', String.raw`a\\"b\n`, '通知 🔔', "it's, [one]"]
    await store(service, ids)

    const counts = []
    for (const id of ids) {
      await ann.post('/api/read_notification', { id })
      counts.push(await countOf(ann))
    }

    assert.deepEqual(counts, [3, 2, 1, 0])
  })

  it('thousands become read at once', async ({ service, ann }) => {
    await store(
      service,
      Array.from({ length: 2_345 }, (_, i) => `n${i}`),
    )

    assert.deepEqual([await countOf(ann, 'read_all'), await countOf(ann)], [2_345, 0])
  })
})

async function page(person: Person, filter: object) {
  const answer = await person.post('/api/list_notifications', filter)
  return [titlesOf(answer), answer.body.total]
}

async function countOf(person: Person, act: 'count_unread' | 'read_all' = 'count_unread'): Promise<number> {
  const { body } = await person.post(`/api/${act}_notifications`)
  assert.deepEqual(body, { count: body.count })
  return body.count
}

async function store({ platform }: Service, ids: readonly string[]): Promise<void> {
  const rows = ids.map((id, i) => ({
    ...{ id, type: 'system', title: id, content: 'c' },
    ...{ level: 'info' as const, also_email: 0 as const },
    ...{ target_user_id: null, created_at: i, updated_at: i, archived_at: null },
  }))
  await platform.meta.insertInto('notifications').values(rows).execute()
}
