import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { refusal } from '../../service/answers.ts'
import { basic, register } from '../../service/applications.ts'
import { addApp } from '../../service/devices/factors.ts'
import { it as withService } from '../../service/it.ts'
import type { Person } from '../../service/people.ts'
import { openPage } from '../../service/wire/live-page.ts'

const REFUSED = [403, 'SECOND_FACTOR_REQUIRED']

/** Acts of the administrator of which pages are notified. */
const it = withService.extend('news', async ({ service, administrator }) => ({
  require: async () => {
    await administrator.saveSettings('authentication', { second_factor: 'required' })
    await service.runJob('events')
  },
  publish: async (title: string) => {
    await administrator.post('/api/admin/create_notification', { title, content: 'C' })
    await service.runJob('events')
  },
}))

const live = async (person: Person) => refusal(await person.get('/api/live'))

describe('checklist 85: a page that is open while its user begins to lack a required second factor', () => {
  it('is ended in every process at the setting, and refused from then on', async ({ service, ann, news }) => {
    const processes = [service, { request: service.requestElsewhere }]
    const pages = await Promise.all(processes.map((process) => openPage(process, ann)))
    for (const page of pages) await page.next()

    await news.require()

    for (const page of pages) assert.equal((await page.next()).event, 'closed')
    assert.deepEqual(await live(ann), REFUSED)
  })

  it('is ended when the administrator removes the factor', async ({ service, administrator, ann, news }) => {
    await addApp(service, administrator)
    await addApp(service, ann)
    await news.require()
    const page = await openPage(service, ann)
    await page.next()

    await administrator.post('/api/admin/remove_factors', { id: ann.id })
    await news.publish('Nothing for Ann')

    assert.equal((await page.next()).event, 'closed')
    assert.deepEqual(await live(ann), REFUSED)
  })

  it('is ended if it was opened at the very moment of the change', async ({ service, ann, news }) => {
    const opening = Array.from({ length: 8 }, async (_, turns) => {
      for (let i = 0; i < turns * 2; i++) await new Promise((resolve) => setImmediate(resolve))
      return openPage(service, ann).catch(() => undefined)
    })

    await news.require()
    const pages = await Promise.all(opening)
    await service.runJob('events')

    for (const page of pages) {
      if (page?.response.status !== 200) continue
      let told = await page.next()
      while (told.event === 'unread') told = await page.next()
      assert.equal(told.event, 'closed')
    }
  })

  it('continues where it was for a user who has one', async ({ service, administrator, ann, news }) => {
    await addApp(service, administrator)
    await addApp(service, ann)
    const page = await openPage(service, ann)
    await page.next()
    await news.publish('One')
    const { id = '' } = await page.next()
    await news.require()
    const end = await page.next()
    await news.publish('Two')

    const again = await openPage(service, ann, { 'last-event-id': id })

    assert.equal(end.event, 'closed')
    assert.equal((await again.next()).data?.title, 'Two')
    await again.close()
  })

  it('is ended by the beta gate, and gets nothing then', async ({ service, administrator, ann, news }) => {
    const page = await openPage(service, ann)
    await page.next()

    await administrator.saveSettings('authentication', { beta_gate_enabled: true })
    await news.publish('Only for those inside')
    const end = await page.next()
    const again = await openPage(service, ann)
    await news.publish('Also only for them')
    await administrator.post('/api/admin/revoke_user_sessions', { id: ann.id })
    await service.runJob('events')

    assert.deepEqual([end.event, (await again.next()).event], ['closed', 'signed_out'])
  })
})

describe('checklist 85: what waits for news while its caller begins to lack a required second factor', () => {
  it('is refused instead of answered', async ({ administrator, news }) => {
    const { body } = await administrator.post('/api/admin/list_events', { after: 'latest' })
    const waiting = administrator.post('/api/admin/list_events', { after: body.next, wait_seconds: 25 })

    await news.require()

    assert.deepEqual(refusal(await waiting), REFUSED)
  })
})

describe('checklist 85: the feed of a product', () => {
  it('reports a removed factor, and what concerns everyone', async ({ service, administrator, ann, news }) => {
    await addApp(service, ann)
    const shop = await register(administrator, { kind: 'service' })
    const ask = async (after?: string) => (await ann.post('/api/oauth/revocations', { after }, basic(shop))).body
    const start = await ask()

    await administrator.post('/api/admin/remove_factors', { id: ann.id })
    await service.runJob('events')
    const removed = await ask(start.next)
    await administrator.saveSettings('brand', { name: 'House' })
    await service.runJob('events')
    const branded = await ask(removed.next)
    await news.require()
    const required = await ask(branded.next)

    const [{ kind, id }] = removed.items
    assert.deepEqual([removed.items.length, kind, id, removed.everyone], [1, 'user', ann.id, undefined])
    assert.deepEqual([branded.everyone, branded.items], [undefined, []])
    assert.deepEqual([required.everyone, required.items], [true, []])
  })
})
