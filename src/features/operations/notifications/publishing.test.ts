import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { openPatiently, whileHeld } from '../../../../test/postgres/held-user.ts'
import { assertRefused } from '../../../../test/service/answers.ts'
import { it, titlesOf } from '../../../../test/service/notifications.ts'
import { Person } from '../../../../test/service/people.ts'
import { eventsAfter } from '../../ground/events/listing.ts'

describe('create_notification', () => {
  it('type is system when omitted, and the response is the id', async ({ service, ann, publish }) => {
    const id = await publish('One')

    const { body } = await ann.post('/api/list_notifications')
    const written = { title: 'One', content: 'About One' }
    assert.deepEqual(body, {
      items: [
        {
          id,
          ...written,
          type: 'system',
          link: null,
          kind: 'message',
          data: {},
          level: 'info',
          read: false,
          created_at: service.clock.now(),
        },
      ],
      total: 1,
    })
  })

  it('refuses an unknown target user', async ({ administrator }) => {
    const sent = { title: 'One', content: 'Two', target_user_id: 'nobody' }

    const answer = await administrator.post('/api/admin/create_notification', sent)

    assertRefused(answer, 'INVALID_REQUEST', 'target_user_id')
  })
})

describe('the administrator', () => {
  it('lists all, for any recipient, edits, and archives out of users’ lists', async ({
    service,
    administrator,
    ann,
    ben,
    publish,
  }) => {
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

  it('restores what was archived to its old place, read by those who had read it', async ({
    administrator,
    ann,
    ben,
    publish,
  }) => {
    const id = await publish('One')
    await publish('Two')
    await ann.post('/api/read_notification', { id })
    await administrator.post('/api/admin/archive_notification', { id })

    const restored = await administrator.post('/api/admin/restore_notification', { id })
    const again = await administrator.post('/api/admin/restore_notification', { id })

    assert.deepEqual([restored.body.archived_at, again.status], [null, 200])
    const { body } = await ann.post('/api/list_notifications')
    assert.deepEqual([titlesOf({ body }), body.total], [['Two', 'One'], 2])
    assert.deepEqual((await ann.post('/api/count_unread_notifications')).body, { count: 1 })
    assert.deepEqual((await ben.post('/api/count_unread_notifications')).body, { count: 2 })
  })

  it('edits what everyone sees with the next request, in every process', async ({
    service,
    administrator,
    ann,
    publish,
  }) => {
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

  it('gets 404 for an unknown one', async ({ administrator }) => {
    for (const [act, fields] of [
      ['update', { title: 'Y' }],
      ['archive', {}],
      ['restore', {}],
    ] as const)
      assertRefused(await administrator.post(`/api/admin/${act}_notification`, { id: 'x', ...fields }), 'NOT_FOUND')
  })
})

describe('acts on one notification at the same moment', () => {
  it.override('options', { open: openPatiently })

  for (const [name, before, acts] of [
    ['two that archive it', [], ['archive', 'archive']],
    ['two that restore it', ['archive'], ['restore', 'restore']],
    ['one that restores it, and one that archives it again', ['archive'], ['restore', 'archive']],
    ['one that archives it, and one that restores it', [], ['archive', 'restore']],
  ] as const)
    it(`${name}: each event is about a change, and the last one is about the last change`, async ({
      service,
      administrator,
      publish,
    }) => {
      const id = await publish('One')
      const act = (what: string) => administrator.post(`/api/admin/${what}_notification`, { id })
      for (const what of before) await act(what)

      const held = { sql: 'select from notifications where id = $1 for update', values: [id] }
      const atOnce = acts.map((what) => () => act(what))
      const answers = await whileHeld(service, held, atOnce)
      await service.runJob('events')

      for (const { status } of answers) assert.equal(status, 200)
      const { items } = await eventsAfter(service.platform, { limit: 100 })
      const changes = items.flatMap(({ type, data }) => (data.id === id ? [type] : []))
      const inTurn = ['notification.published', 'notification.archived']
      assert.deepEqual(
        changes,
        changes.map((_, i) => inTurn[i % 2]),
      )
      const { body } = await administrator.post('/api/admin/list_notifications', { archived: true })
      assert.equal(body.total, changes.length % 2 === 0 ? 1 : 0)
    })
})
