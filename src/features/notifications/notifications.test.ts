import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../test/service/it.ts'
import { published, titlesOf } from '../../../test/service/notifications.ts'
import type { Service } from '../../../test/service/service.ts'

/** As an older version would have taken it. */
async function storeMark(service: Service, userId: string, notificationId: string) {
  const { shard_id } = await service.platform.meta
    .selectFrom('user_shards')
    .select('shard_id')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  await service.platform.shards
    .get(shard_id)
    ?.insertInto('notification_reads')
    .values({ notification_id: notificationId, user_id: userId })
    .execute()
}

describe('list_notifications', () => {
  it('rule 3: global ones and those targeted at the caller, newest first', async ({ service }) => {
    const { ann, ben, publish } = await published(service)
    await publish('For all')
    await publish('For Ann', { target_user_id: ann.id })
    await publish('For Ben', { target_user_id: ben.id })
    await publish('For all again', { target_user_id: null })

    const seenByAnn = await ann.post('/api/list_notifications')
    const seenByBen = await ben.post('/api/list_notifications')

    assert.deepEqual(titlesOf(seenByAnn), ['For all again', 'For Ann', 'For all'])
    assert.deepEqual(titlesOf(seenByBen), ['For all again', 'For Ben', 'For all'])
  })

  it('rule 4: with a read filter, total is the filtered length on every page', async ({ service }) => {
    const { ann, publish } = await published(service)
    const ids = [await publish('One'), await publish('Two'), await publish('Three')]
    await ann.post('/api/read_notification', { id: ids[1] })

    const unread = await ann.post('/api/list_notifications', { read: false, page_size: 1 })
    const unreadPastTheEnd = await ann.post('/api/list_notifications', { read: false, page: 9 })
    const read = await ann.post('/api/list_notifications', { read: true })

    assert.deepEqual([titlesOf(unread), unread.body.total], [['Three'], 2])
    assert.deepEqual([titlesOf(unreadPastTheEnd), unreadPastTheEnd.body.total], [[], 2])
    assert.deepEqual([titlesOf(read), read.body.total, read.body.items[0].read], [['Two'], 1, true])
  })

  it('rule 4: without it, total is the count of visible rows, also past the end', async ({ service }) => {
    const { ann, ben, publish } = await published(service)
    await publish('One')
    await publish('Two')
    await publish('Not for Ann', { target_user_id: ben.id })

    const first = await ann.post('/api/list_notifications', { page_size: 1 })
    const second = await ann.post('/api/list_notifications', { page_size: 1, page: 2 })
    const past = await ann.post('/api/list_notifications', { page: Number.MAX_SAFE_INTEGER })

    assert.deepEqual([titlesOf(first), first.body.total], [['Two'], 2])
    assert.deepEqual([titlesOf(second), second.body.total], [['One'], 2])
    assert.deepEqual([titlesOf(past), past.body.total], [[], 2])
  })

  it('filters by type and by an inclusive time in milliseconds or ISO 8601', async ({ service }) => {
    const { ann, publish } = await published(service)
    await publish('One', { type: 'release' })
    const first = service.clock.now()
    await publish('Two')
    const second = service.clock.now()
    await publish('Three', { type: 'release' })
    const list = async (filter: object) => titlesOf(await ann.post('/api/list_notifications', filter))

    assert.deepEqual(await list({ type: 'release' }), ['Three', 'One'])
    assert.deepEqual(await list({ created_at_start: second }), ['Three', 'Two'])
    assert.deepEqual(await list({ created_at_end: new Date(second).toISOString() }), ['Two', 'One'])
    assert.deepEqual(await list({ created_at_start: first, created_at_end: first }), ['One'])
    assert.deepEqual(await list({ created_at_start: second, read: false }), ['Three', 'Two'])
    assert.deepEqual(await list({ created_at_start: '2026-11-21', created_at_end: '2026-11-21' }), [
      'Three',
      'Two',
      'One',
    ])
  })

  it('takes an ISO 8601 time without seconds, in any time zone', async ({ service }) => {
    const { ann, publish } = await published(service)
    await publish('One')
    const list = async (filter: object) => titlesOf(await ann.post('/api/list_notifications', filter))
    const minute = new Date(service.clock.now()).toISOString().slice(0, 16)

    for (const start of [minute, `${minute}Z`, `${minute}+00:00`, `${minute}+01:00`])
      assert.deepEqual(await list({ created_at_start: start }), ['One'], start)
    assert.deepEqual(await list({ created_at_start: `${minute}-01:00` }), [])
  })

  it('rows of one moment page stably', async ({ administrator, ann }) => {
    const bodies = Array.from({ length: 9 }, (_, i) => ({ title: `T${i}`, content: 'c' }))
    await Promise.all(bodies.map((body) => administrator.post('/api/admin/create_notification', body)))

    const pages = await Promise.all(
      [1, 2, 3].map((page) => ann.post('/api/list_notifications', { page, page_size: 3 })),
    )

    assert.equal(new Set(pages.flatMap(titlesOf)).size, 9)
  })
})

describe('read_notification', () => {
  it('marks exactly the id that was sent, whatever has been stored as one', async ({ service }) => {
    const { ann, publish } = await published(service)
    const id = await publish('One')
    await storeMark(service, ann.id, `${id}\nof another age`)

    const unread = await ann.post('/api/list_notifications', { read: false })
    const counted = await ann.post('/api/count_unread_notifications')

    assert.deepEqual([titlesOf(unread), counted.body], [['One'], { count: 1 }])
  })

  it('rule 5: any id, existing or not, any number of times, is {}', async ({ service }) => {
    const { ann, ben, publish } = await published(service)
    const id = await publish('One')

    const answers = [
      await ann.post('/api/read_notification', { id }),
      await ann.post('/api/read_notification', { id }),
      await ann.post('/api/read_notification', { id: 'there is no such thing' }),
    ]

    assert.deepEqual(
      answers.map(({ status, body }) => [status, body]),
      [
        [200, {}],
        [200, {}],
        [200, {}],
      ],
    )
    assert.equal((await ann.post('/api/list_notifications')).body.items[0].read, true)
    assert.equal((await ben.post('/api/list_notifications')).body.items[0].read, false)
  })
})

describe('unread notifications', () => {
  it('are counted exactly, and read_all returns how many were newly marked as read', async ({ service }) => {
    const { ann, ben, publish } = await published(service)
    const first = await publish('One')
    await publish('Two', { target_user_id: ann.id })
    await publish('Not for Ann', { target_user_id: ben.id })
    await ann.post('/api/read_notification', { id: first })
    await ann.post('/api/read_notification', { id: 'unknown' })

    const before = await ann.post('/api/count_unread_notifications')
    const marked = await ann.post('/api/read_all_notifications')
    const after = await ann.post('/api/count_unread_notifications')
    const again = await ann.post('/api/read_all_notifications')

    assert.deepEqual(
      [before.body, marked.body, after.body, again.body],
      [{ count: 1 }, { count: 1 }, { count: 0 }, { count: 0 }],
    )
    assert.deepEqual((await ben.post('/api/count_unread_notifications')).body, { count: 2 })
  })

  it('an id with quotes, a backslash and other scripts is read like any other', async ({ service, ann }) => {
    const ids = ['say "now"', String.raw`a\\"b\n`, '通知 🔔', "it's, [one]"]
    const rows = ids.map((id, i) => rowFor(id, i))
    await service.platform.meta.insertInto('notifications').values(rows).execute()

    const counts = []
    for (const id of ids) {
      await ann.post('/api/read_notification', { id })
      counts.push((await ann.post('/api/count_unread_notifications')).body.count)
    }

    assert.deepEqual(counts, [3, 2, 1, 0])
  })

  it('thousands become read at once', async ({ service, ann }) => {
    const rows = Array.from({ length: 2_345 }, (_, i) => rowFor(`n${i}`, i))
    await service.platform.meta.insertInto('notifications').values(rows).execute()

    const marked = await ann.post('/api/read_all_notifications')

    assert.deepEqual(marked.body, { count: 2_345 })
    assert.deepEqual((await ann.post('/api/count_unread_notifications')).body, { count: 0 })
  })
})

function rowFor(id: string, createdAt: number) {
  const text = { type: 'system', title: id, content: 'c' }
  return {
    id,
    ...text,
    target_user_id: null,
    created_at: createdAt,
    updated_at: createdAt,
    archived_at: null,
  }
}
