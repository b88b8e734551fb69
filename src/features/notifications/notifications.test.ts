import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Person, people } from '../../../test/service/people.ts'
import { type Service, startService } from '../../../test/service/service.ts'

const titlesOf = (answer: { readonly body: { readonly items: readonly { title: string }[] } }) =>
  answer.body.items.map(({ title }) => title)

async function published(service: Service) {
  const persons = await people(service)
  const publish = async (title: string, extra: object = {}) => {
    service.clock.advance({ seconds: 1 })
    const body = { title, content: `About ${title}`, ...extra }
    const answer = await persons.administrator.post('/api/admin/create_notification', body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.id as string
  }
  return { ...persons, publish }
}

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

describe('create_notification', () => {
  it('type is system when omitted, and the response is the id', async () => {
    await using service = await startService()
    const { ann, publish } = await published(service)

    const id = await publish('One')

    const { body } = await ann.post('/api/list_notifications')
    assert.deepEqual(body, {
      items: [
        {
          id,
          type: 'system',
          title: 'One',
          content: 'About One',
          read: false,
          created_at: service.clock.now(),
        },
      ],
      total: 1,
    })
  })

  it('refuses a target that is nobody, a title of 201 and a content of 10,001 characters', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    const sound = { title: 'One', content: 'Two' }

    const answers = await Promise.all(
      [
        { ...sound, target_user_id: 'nobody' },
        { ...sound, title: 'x'.repeat(201) },
        { ...sound, content: 'x'.repeat(10_001) },
        { ...sound, type: 'x'.repeat(65) },
        { title: 'One' },
      ].map((body) => administrator.post('/api/admin/create_notification', body)),
    )

    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.code, body.issues[0].path]),
      ['target_user_id', 'title', 'content', 'type', 'content'].map((path) => [400, 'INVALID_REQUEST', path]),
    )
  })
})

describe('list_notifications', () => {
  it('rule 3: global ones and those targeted at the caller, newest first', async () => {
    await using service = await startService()
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

  it('rule 4: with a read filter, total is the filtered length on every page', async () => {
    await using service = await startService()
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

  it('rule 4: without it, total is the count of visible rows, also past the end', async () => {
    await using service = await startService()
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

  it('filters by type and by an inclusive time in milliseconds or ISO 8601', async () => {
    await using service = await startService()
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

  it('rows of one moment page stably', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const bodies = Array.from({ length: 9 }, (_, i) => ({ title: `T${i}`, content: 'c' }))
    await Promise.all(bodies.map((body) => administrator.post('/api/admin/create_notification', body)))

    const pages = await Promise.all(
      [1, 2, 3].map((page) => ann.post('/api/list_notifications', { page, page_size: 3 })),
    )

    assert.equal(new Set(pages.flatMap(titlesOf)).size, 9)
  })
})

describe('read_notification', () => {
  it('marks exactly the id that was sent, whatever has been stored as one', async () => {
    await using service = await startService()
    const { ann, publish } = await published(service)
    const id = await publish('One')
    await storeMark(service, ann.id, `${id}\nof another age`)

    const unread = await ann.post('/api/list_notifications', { read: false })
    const counted = await ann.post('/api/count_unread_notifications')

    assert.deepEqual([titlesOf(unread), counted.body], [['One'], { count: 1 }])
  })

  it('rule 5: any id, existing or not, any number of times, is {}', async () => {
    await using service = await startService()
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
  it('are counted exactly, and read_all returns how many were newly marked as read', async () => {
    await using service = await startService()
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

  it('thousands become read at once', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    const rows = Array.from({ length: 2_345 }, (_, i) => ({
      id: `n${i}`,
      type: 'system',
      title: `T${i}`,
      content: 'c',
      target_user_id: null,
      created_at: i,
      updated_at: i,
      archived_at: null,
    }))
    await service.platform.meta.insertInto('notifications').values(rows).execute()

    const marked = await ann.post('/api/read_all_notifications')

    assert.deepEqual(marked.body, { count: 2_345 })
    assert.deepEqual((await ann.post('/api/count_unread_notifications')).body, { count: 0 })
  })
})

describe('the administrator', () => {
  it('lists all, for any recipient, edits, and archives out of users’ lists', async () => {
    await using service = await startService()
    const { administrator, ann, ben, publish } = await published(service)
    const id = await publish('One')
    await publish('For Ben', { target_user_id: ben.id })

    const edited = await administrator.post('/api/admin/update_notification', { id, title: 'Uno' })
    const all = await administrator.post('/api/admin/list_notifications')
    const forBen = await administrator.post('/api/admin/list_notifications', { target_user_id: ben.id })
    const archived = await administrator.post('/api/admin/archive_notification', { id })
    const shown = await administrator.post('/api/admin/list_notifications', { archived: true })

    assert.deepEqual([edited.body.title, edited.body.content], ['Uno', 'About One'])
    assert.deepEqual([titlesOf(all), all.body.total], [['For Ben', 'Uno'], 2])
    assert.deepEqual(titlesOf(forBen), ['For Ben'])
    assert.equal(archived.body.archived_at, service.clock.now())
    assert.deepEqual(titlesOf(shown), ['Uno'])
    assert.deepEqual((await ann.post('/api/list_notifications')).body, { items: [], total: 0 })
    assert.deepEqual((await ann.post('/api/count_unread_notifications')).body, { count: 0 })
  })

  it('restores what was archived to its old place, read by those who had read it', async () => {
    await using service = await startService()
    const { administrator, ann, ben, publish } = await published(service)
    const id = await publish('One')
    await publish('Two')
    await ann.post('/api/read_notification', { id })
    await administrator.post('/api/admin/archive_notification', { id })

    const restored = await administrator.post('/api/admin/restore_notification', { id })
    const again = await administrator.post('/api/admin/restore_notification', { id })

    assert.deepEqual([restored.body.archived_at, again.status], [null, 200])
    assert.deepEqual(titlesOf(await ann.post('/api/list_notifications')), ['Two', 'One'])
    assert.deepEqual((await ann.post('/api/count_unread_notifications')).body, { count: 1 })
    assert.deepEqual((await ben.post('/api/count_unread_notifications')).body, { count: 2 })
  })

  it('edits what everyone sees with the next request, in every process', async () => {
    await using service = await startService()
    const { administrator, ann, publish } = await published(service)
    const annElsewhere = new Person({ request: service.requestElsewhere }, ann.email, ann.password)
    await annElsewhere.signIn()
    const id = await publish('One')
    const lists = () =>
      Promise.all(
        [ann, annElsewhere].flatMap((reader) => [
          reader.post('/api/list_notifications'),
          reader.post('/api/list_notifications', { read: false }),
        ]),
      )
    await lists()

    await administrator.post('/api/admin/update_notification', { id, title: 'Uno' })

    assert.deepEqual((await lists()).map(titlesOf), Array(4).fill(['Uno']))
  })

  it('gets 404 for an unknown one', async () => {
    await using service = await startService()
    const { administrator } = await people(service)

    const edited = await administrator.post('/api/admin/update_notification', { id: 'x', title: 'Y' })
    const archived = await administrator.post('/api/admin/archive_notification', { id: 'x' })
    const restored = await administrator.post('/api/admin/restore_notification', { id: 'x' })

    assert.deepEqual([edited.status, edited.body.code], [404, 'NOT_FOUND'])
    assert.deepEqual([archived.status, archived.body.code], [404, 'NOT_FOUND'])
    assert.deepEqual([restored.status, restored.body.code], [404, 'NOT_FOUND'])
  })
})
