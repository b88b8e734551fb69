import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { bearer } from '../../../../test/service/applications.ts'
import { grantFor } from '../../../../test/service/grants.ts'
import { it, titlesOf } from '../../../../test/service/notifications.ts'
import { newcomer, type Person, stranger } from '../../../../test/service/people.ts'
import { WITH_MAIL } from '../../../../test/service/with-mail.ts'

const listOf = async (person: Person) => titlesOf(await person.post('/api/list_notifications'))

describe('a notification with a time to come', () => {
  it('is in no list until then, and is the newest of all from then on', async ({
    service,
    administrator,
    ann,
    publish,
  }) => {
    const at = service.clock.now() + 60_000
    const id = await publish('Later', { publish_at: at })
    await publish('Now')
    await service.runJob('held-notifications')
    const before = await listOf(ann)
    const [waiting] = (
      await administrator.post('/api/admin/list_notifications', { archived: false })
    ).body.items.filter((row: { id: string }) => row.id === id)

    service.clock.advance({ seconds: 60 })
    await service.runJob('held-notifications')

    assert.deepEqual(before, ['Now'])
    assert.deepEqual([waiting.publish_at, waiting.archived_at], [at, null])
    assert.deepEqual(await listOf(ann), ['Later', 'Now'])
    assert.equal((await ann.post('/api/count_unread_notifications')).body.count, 2)
  })

  it('takes ISO 8601, and refuses a time that has passed with the field', async ({ service, administrator }) => {
    const send = (publish_at: unknown) =>
      administrator.post('/api/admin/create_notification', { title: 'Later', content: 'News', publish_at })
    const soon = new Date(service.clock.now() + 60_000).toISOString()

    assert.equal((await send(soon)).status, 200)
    assertRefused(await send(service.clock.now() - 1), 'INVALID_REQUEST', 'publish_at')
    assertRefused(await send('2020-01-01T00:00:00Z'), 'INVALID_REQUEST', 'publish_at')
    assertRefused(await send('soon'), 'INVALID_REQUEST', 'publish_at')
  })

  it('can be changed, called off and put back, and only then goes out', async ({
    service,
    administrator,
    ann,
    publish,
  }) => {
    const at = service.clock.now() + 60_000
    const id = await publish('Later', { publish_at: at })
    await administrator.post('/api/admin/update_notification', { id, title: 'Better', publish_at: at + 60_000 })
    const shown = await publish('Now')
    await administrator.post('/api/admin/archive_notification', { id })
    service.clock.advance({ seconds: 90 })
    await service.runJob('held-notifications')
    const off = await listOf(ann)
    const { body } = await administrator.post('/api/admin/restore_notification', { id })
    service.clock.advance({ seconds: 60 })
    await service.runJob('held-notifications')

    assert.deepEqual(off, ['Now'])
    assert.equal(body.publish_at, at + 60_000)
    assert.deepEqual(await listOf(ann), ['Better', 'Now'])
    const other = await administrator.post('/api/admin/update_notification', { id: shown, publish_at: at * 2 })
    assertRefused(other, 'INVALID_REQUEST', 'publish_at')
  })
})

describe('a notification for an audience', () => {
  it('is seen by its people alone, once each, and stands in the console as one', async ({
    service,
    administrator,
    ann,
    ben,
    publish,
  }) => {
    const audience = { search: ann.email }
    const id = await publish('For some', { audience })
    await service.runJob('held-notifications')
    await service.runJob('held-notifications')

    const { items } = (await administrator.post('/api/admin/list_notifications')).body

    assert.deepEqual(await listOf(ann), ['For some'])
    assert.deepEqual(await listOf(ben), [])
    assert.deepEqual(
      items.map((row: Record<string, unknown>) => [row.id, row.reached, row.audience, row.archived_at]),
      [[id, 1, audience, null]],
    )
  })

  it('is changed, archived and restored for all of them together', async ({ service, administrator, ann, publish }) => {
    const id = await publish('For some', { audience: { search: ann.email } })
    await service.runJob('held-notifications')
    await administrator.post('/api/admin/update_notification', { id, title: 'Better' })
    const changed = await listOf(ann)
    await administrator.post('/api/admin/archive_notification', { id })
    const archived = await listOf(ann)
    await administrator.post('/api/admin/restore_notification', { id })
    await service.runJob('held-notifications')

    assert.deepEqual([changed, archived, await listOf(ann)], [['Better'], [], ['Better']])
  })

  it('needs a program that may see users', async ({ service, administrator }) => {
    const tool = await grantFor(administrator, 'admin:notifications:write')
    const sent = { title: 'For some', content: 'News', audience: { search: 'ann' } }
    const post = () => stranger(service).post('/api/admin/create_notification', sent, bearer(tool.tokens.access_token))

    assertRefused(await post(), 'INSUFFICIENT_SCOPE')
  })
})

describe('count_audience', () => {
  it.override('settings', WITH_MAIL)

  it('counts everybody who would see it and who would get a letter, without suspended users', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const cy = await newcomer(service)
    for (const { id } of [ann, ben, cy]) await administrator.post('/api/admin/mark_verified', { id })
    await ben.post('/api/update_notification_preferences', { items: [{ type: 'news', email: 'off' }] })
    await administrator.post('/api/admin/suspend_user', { id: cy.id, reason: 'Spam.' })
    const count = async (sent: object) => (await administrator.post('/api/admin/count_audience', sent)).body

    const all = await count({ type: 'news' })

    assert.deepEqual(all, { people: 3, by_email: 2 })
    assert.deepEqual(await count({ type: 'other' }), { people: 3, by_email: 3 })
    assert.deepEqual(await count({ audience: { search: ann.email } }), { people: 1, by_email: 1 })
    assert.deepEqual(await count({ target_user_id: cy.id }), { people: 0, by_email: 0 })
  })
})
