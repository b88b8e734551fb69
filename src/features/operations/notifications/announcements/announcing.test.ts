import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, statuses } from '../../../../../test/service/answers.ts'
import { changeSettings } from '../../../../../test/service/change-settings.ts'
import { it as published } from '../../../../../test/service/notifications.ts'
import type { Person } from '../../../../../test/service/people.ts'
import type { Service } from '../../../../../test/service/service.ts'
import { WITH_MAIL } from '../../../../../test/service/with-mail.ts'
import type { MailMessage, MailRoute } from '../../../../platform/mail/mail.ts'
import { announcementMailJob, mailJob } from '../../../delivery/mail/queue.ts'

const it = published.extend<{ verified: readonly Person[] }>({
  verified: async ({ administrator, ann, ben }, use) => {
    for (const { id } of [ann, ben]) await administrator.post('/api/admin/mark_verified', { id })
    await use([ann, ben])
  },
})

/** Runs the jobs until nothing is left to do. */
async function sendAll(service: Service): Promise<void> {
  for (let turn = 0; turn < 4; turn++) {
    await service.runJob('announcements')
    await service.runJob('announcement-mail')
  }
}

async function subjectsTo(service: Service, { email }: Person): Promise<readonly string[]> {
  await sendAll(service)
  const letters = await service.mail.sentTo(email)
  return letters.flatMap(({ subject, unsubscribe }) => (unsubscribe === undefined ? [] : [subject]))
}

const prefer = (person: Person, email: string, type = 'system') =>
  person.post('/api/update_notification_preferences', { items: [{ type, email }] })

describe('a notification that is also mailed', () => {
  it.override('settings', {
    ...WITH_MAIL,
    brand: { home_url: 'https://product.example/home' },
  })

  it('goes to verified addresses, once, with its link and a way to unsubscribe', async ({
    service,
    publish,
    verified: [ann],
    administrator,
  }) => {
    assert.ok(ann)
    await administrator.post('/api/admin/create_user', { email: 'unproven@example.com' })
    await publish('Version 2', { also_email: true, link: '/news/2', content: 'One\nline <b>\n\nAnother' })

    await sendAll(service)
    await sendAll(service)

    const letters = (await service.mail.sentTo(ann.email)).filter(({ subject }) => subject === 'Version 2')
    assert.equal(letters.length, 1)
    const [letter] = letters
    assert.match(letter?.text ?? '', /https:\/\/product\.example\/news\/2/)
    assert.match(letter?.html ?? '', /<p>One<br>line &lt;b&gt;<\/p>\n<p>Another<\/p>/)
    assert.match(letter?.unsubscribe ?? '', /\/api\/unsubscribe\?token=/)
    assert.deepEqual(await service.mail.sentTo('unproven@example.com'), [])
  })

  it('for one user goes to that user alone, and one that is not mailed to nobody', async ({
    service,
    publish,
    verified: [ann, ben],
  }) => {
    assert.ok(ann && ben)
    await publish('For Ann', { also_email: true, target_user_id: ann.id })
    await publish('Silent')

    assert.deepEqual(await subjectsTo(service, ann), ['For Ann'])
    assert.deepEqual(await subjectsTo(service, ben), [])
  })

  it('goes to no user who signed up later, and to nobody once it is archived', async ({
    service,
    publish,
    verified: [ann],
    administrator,
  }) => {
    assert.ok(ann)
    const id = await publish('Mistake', { also_email: true })
    await administrator.post('/api/admin/archive_notification', { id })

    assert.deepEqual(await subjectsTo(service, ann), [])
  })

  it('goes to those who are left once it is restored, in a daily letter too', async ({
    service,
    publish,
    verified: [ann, ben],
    administrator,
  }) => {
    assert.ok(ann && ben)
    await prefer(ben, 'daily')
    const id = await publish('Too early', { also_email: true })
    const other = await publish('A mistake', { also_email: true })
    await administrator.post('/api/admin/archive_notification', { id })
    await administrator.post('/api/admin/archive_notification', { id: other })
    const whileArchived = await subjectsTo(service, ann)
    await administrator.post('/api/admin/restore_notification', { id })
    const restored = await subjectsTo(service, ann)
    await administrator.post('/api/admin/archive_notification', { id })
    service.clock.advance({ hours: 24 })
    const dailyWhileArchived = await subjectsTo(service, ben)
    await administrator.post('/api/admin/restore_notification', { id })
    service.clock.advance({ hours: 24 })
    const daily = await subjectsTo(service, ben)

    assert.deepEqual([whileArchived, restored], [[], ['Too early']])
    assert.deepEqual([dailyWhileArchived.length, daily.length], [0, 1])
    service.clock.advance({ hours: 48 })
    await administrator.post('/api/admin/restore_notification', { id: other })
    assert.deepEqual(await subjectsTo(service, ann), ['Too early'])
    const { meta } = service.platform
    for (const table of ['announcement', 'digest_entry'] as const)
      assert.deepEqual(await meta.selectFrom(table).selectAll().execute(), [])
  })

  it('waits for the daily letter of those who prefer it, and is not sent to those who want none', async ({
    service,
    publish,
    verified: [ann, ben],
  }) => {
    assert.ok(ann && ben)
    const chosen = await prefer(ann, 'daily')
    await prefer(ben, 'off')
    await publish('Monday', { also_email: true, link: 'https://product.example/monday' })
    await publish('Tuesday', { also_email: true })
    await sendAll(service)
    const seven = new Date(service.clock.now()).setUTCHours(24 + 7, 0, 0, 0)
    service.clock.advance({ milliseconds: seven - 1 - service.clock.now() })
    const before = await subjectsTo(service, ann)

    service.clock.advance({ milliseconds: 1 })
    const after = await subjectsTo(service, ann)

    assert.deepEqual(chosen.body, { items: [{ type: 'system', email: 'daily' }] })
    assert.deepEqual([before, after.length], [[], 1])
    const [letter] = (await service.mail.sentTo(ann.email)).filter(({ unsubscribe }) => unsubscribe)
    assert.match(letter?.text ?? '', /Tuesday\nAbout Tuesday[\s\S]*Monday\nAbout Monday\nhttps:\/\/product/)
    assert.deepEqual(await subjectsTo(service, ben), [])
  })

  it('is one of at most twenty in a daily letter, each cut at 300 characters', async ({
    service,
    publish,
    verified: [ann],
  }) => {
    assert.ok(ann)
    await prefer(ann, 'daily')
    for (let i = 0; i < 21; i++) await publish(`No. ${i}`, { content: 'x'.repeat(300 + (i % 2)), also_email: true })
    await sendAll(service)
    service.clock.advance({ hours: 24 })
    await sendAll(service)

    const letters = (await service.mail.sentTo(ann.email)).filter(({ unsubscribe }) => unsubscribe)
    const lines = letters.map(({ text }) => text.match(/^x+…?$/gm) ?? [])
    assert.deepEqual(lines.map(({ length }) => length).toSorted(), [1, 20])
    assert.deepEqual(new Set(lines.flat()), new Set(['x'.repeat(300), `${'x'.repeat(299)}…`]))
  })

  it('is not sent any more after three days', async ({ service, publish, verified: [ann] }) => {
    assert.ok(ann)
    await publish('In time', { also_email: true })
    service.clock.advance({ days: 3, milliseconds: -1 })
    const inTime = await subjectsTo(service, ann)
    await publish('Too late', { also_email: true })
    service.clock.advance({ days: 3 })

    assert.deepEqual([inTime, await subjectsTo(service, ann)], [['In time'], ['In time']])
  })

  it('waits, and fills no queue, while mail is switched off', async ({ service, publish, verified: [ann] }) => {
    assert.ok(ann)
    await publish('One', { also_email: true })
    await changeSettings(service, 'email', { provider: null })
    await service.runJob('announcements')
    const waiting = await service.platform.meta.primary.selectFrom('mail_queue').select('id').execute()
    await changeSettings(service, 'email', { provider: 'smtp' })

    assert.deepEqual([waiting, await subjectsTo(service, ann)], [[], ['One']])
  })

  it('about many long types goes in several daily letters, whose headers every mail server takes', async ({
    service,
    publish,
    verified: [ann],
  }) => {
    assert.ok(ann)
    const types = Array.from({ length: 12 }, (_, i) => `${i} `.padEnd(64, '信'))
    for (const type of types) await prefer(ann, 'daily', type)
    for (const type of types) await publish(type, { type, also_email: true })
    await sendAll(service)
    service.clock.advance({ hours: 24 })
    await sendAll(service)

    const letters = (await service.mail.sentTo(ann.email)).filter(({ unsubscribe }) => unsubscribe)

    assert.deepEqual(
      letters.filter(({ unsubscribe = '' }) => `List-Unsubscribe: <${unsubscribe}>`.length > 998),
      [],
    )
    const counted = types.map((type) => letters.filter(({ text }) => text.includes(`About ${type}`)).length)
    assert.deepEqual(counted, Array(12).fill(1))
    assert.ok(letters.length < 9, `${letters.length}`)
  })

  it('can be unsubscribed from in one request, without a session and whatever its body is', async ({
    service,
    publish,
    verified: [ann],
  }) => {
    assert.ok(ann)
    await publish('First', { also_email: true })
    await sendAll(service)
    const [letter] = await service.mail.sentTo(ann.email)
    const { pathname, search } = new URL(letter?.unsubscribe ?? '')
    await publish('Second', { also_email: true })
    await service.runJob('announcements')

    const page = await service.request(pathname + search, { redirect: 'manual' })
    const ended = await service.request(pathname + search, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://mail.example' },
      body: 'List-Unsubscribe=One-Click',
    })

    assert.deepEqual([page.status, ended.status], [302, 200])
    assert.match(page.headers.get('location') ?? '', /\/unsubscribe\?token=/)
    assert.deepEqual(await subjectsTo(service, ann), ['First'])
    const { body } = await ann.post('/api/get_notification_preferences')
    assert.deepEqual(body, { items: [{ type: 'system', email: 'off' }] })
  })

  it('can be unsubscribed from by a user who has the largest number of preferences', async ({
    service,
    publish,
    verified: [ann],
  }) => {
    assert.ok(ann)
    const items = Array.from({ length: 100 }, (_, i) => ({ type: `type-${i}`, email: 'off' }))
    await ann.post('/api/update_notification_preferences', { items })
    await publish('First', { also_email: true })
    await sendAll(service)
    const [letter] = await service.mail.sentTo(ann.email)
    const { pathname, search } = new URL(letter?.unsubscribe ?? '')
    const ended = await service.request(pathname + search, { method: 'POST' })
    await publish('Second', { also_email: true })
    const changed = await prefer(ann, 'daily', 'type-1')
    const beyond = await prefer(ann, 'daily', 'a further one')

    assert.deepEqual([ended.status, changed.status], [200, 200])
    assertRefused(beyond, 'INVALID_REQUEST', 'items')
    assert.deepEqual(await subjectsTo(service, ann), ['First'])
  })

  it('is unsubscribed from for its own type alone, by the same link any number of times, even after the user is gone', async ({
    service,
    publish,
    verified: [ann],
  }) => {
    assert.ok(ann)
    for (const type of ['news', 'offers']) await publish(type, { type, also_email: true })
    await sendAll(service)
    const letters = await service.mail.sentTo(ann.email)
    const { pathname, search } = new URL(letters.find(({ subject }) => subject === 'news')?.unsubscribe ?? '')

    const ended = []
    for (let i = 0; i < 2; i++) ended.push((await service.request(pathname + search, { method: 'POST' })).status)

    const { body } = await ann.post('/api/get_notification_preferences')
    assert.deepEqual(ended, [200, 200])
    assert.deepEqual(body.items, [
      { type: 'news', email: 'off' },
      { type: 'offers', email: 'each' },
    ])
    await ann.post('/api/auth/delete-user', { password: ann.password })
    assert.equal((await service.request(pathname + search, { method: 'POST' })).status, 200)
  })

  it('refuses a link to unsubscribe that was changed', async ({ service }) => {
    for (const token of ['', 'x', 'a1.AAAA'])
      assert.equal((await service.request(`/api/unsubscribe?token=${token}`, { method: 'POST' })).status, 400, token)
  })

  it('is sent again if the provider refused it, and never if it may have arrived', async ({
    service,
    publish,
    verified: [ann],
  }) => {
    assert.ok(ann)
    await publish('Patience', { also_email: true })
    service.mail.refuse('451 come back')
    await sendAll(service)
    const refused = (await service.mail.all()).length
    service.mail.refuse(undefined)
    service.clock.advance({ minutes: 2 })
    await service.runJob('announcement-mail')

    await publish('Cut off', { also_email: true })
    await service.runJob('announcements')
    await service.platform.meta
      .updateTable('mail_queue')
      .set({ claimed_until: service.clock.now() - 1, attempts: 1 })
      .execute()

    assert.equal(refused, 0)
    assert.deepEqual(await subjectsTo(service, ann), ['Patience'])
  })

  it('fills the queue little by little, without reporting that the provider is down', async ({
    service,
    publish,
    verified: [ann],
  }) => {
    assert.ok(ann)
    for (let i = 0; i < 60; i++) await publish(`News ${i}`, { also_email: true })
    await service.runJob('announcements')
    const waiting = await service.platform.meta.selectFrom('mail_queue').select('kind').execute()

    assert.ok(waiting.length > 20 && waiting.length <= 150, `${waiting.length}`)
    assert.match(await service.platform.metrics.text(), /^gatehouse_mail_waiting 0$/m)
    assert.equal((await subjectsTo(service, ann)).length, 60)
  })

  it('does not hold up a code, however long the provider takes for it', async ({
    service,
    publish,
    verified: [ann],
  }) => {
    assert.ok(ann)
    await publish('News', { also_email: true })
    await service.runJob('announcements')
    await ann.post('/api/auth/email-otp/request-password-reset', { email: ann.email })
    const code = Promise.withResolvers<void>()
    const send = (_: MailRoute, { unsubscribe }: MailMessage) => {
      if (unsubscribe === undefined) code.resolve()
      return code.promise
    }
    const platform = { ...service.platform, mail: { ...service.platform.mail, send } }

    await Promise.all([announcementMailJob(platform), mailJob(platform)].map((job) => job.run()))

    assert.deepEqual(await service.platform.meta.selectFrom('mail_queue').select('id').execute(), [])
  })
})

describe('create_notification', () => {
  it('takes a link and a level, which users see', async ({ publish, ann }) => {
    await publish('Done', { link: 'https://product.example/', level: 'success' })
    await publish('Plain')

    const { body } = await ann.post('/api/list_notifications')

    const [plain, done] = body.items
    assert.deepEqual([done.link, done.level], ['https://product.example/', 'success'])
    assert.deepEqual([plain.link, plain.level], [null, 'info'])
  })

  it.for([
    'javascript:alert(1)',
    'http://product.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'https://ann:pw@product.example',
    'news',
  ])('refuses the link %s', async (link, { administrator }) => {
    const sent = { title: 'T', content: 'C', link }

    assertRefused(await administrator.post('/api/admin/create_notification', sent), 'INVALID_REQUEST', 'link')
  })

  it('refuses letters without a provider, and other levels', async ({ administrator }) => {
    const create = (extra: object) =>
      administrator.post('/api/admin/create_notification', { title: 'T', content: 'C', ...extra })

    assertRefused(await create({ also_email: true }), 'EMAIL_PROVIDER_UNAVAILABLE')
    assertRefused(await create({ level: 'panic' }), 'INVALID_REQUEST', 'level')
  })
})

describe('notification preferences', () => {
  it('have each type that the user has met, each letter unless changed', async ({
    publish,
    administrator,
    ann,
    ben,
  }) => {
    await publish('A', { type: 'news' })
    const id = await publish('Withdrawn', { type: 'mistakes' })
    await administrator.post('/api/admin/archive_notification', { id })
    await publish('B', { type: 'billing', target_user_id: ben.id })

    const { body: changed } = await prefer(ann, 'daily', 'offers')
    const { body: back } = await prefer(ann, 'each', 'offers')

    assert.deepEqual(changed.items, [
      { type: 'news', email: 'each' },
      { type: 'offers', email: 'daily' },
    ])
    assert.deepEqual(back.items, [{ type: 'news', email: 'each' }])
  })

  it('are a hundred types at most', async ({ ann }) => {
    const choose = (from: number, length: number) => {
      const items = Array.from({ length }, (_, i) => ({ type: `t${from + i}`, email: 'off' }))
      return ann.post('/api/update_notification_preferences', { items })
    }

    assert.deepEqual(statuses([await choose(0, 60), await choose(60, 40)]), [200, 200])
    assertRefused(await choose(100, 1), 'INVALID_REQUEST', 'items')
  })
})
