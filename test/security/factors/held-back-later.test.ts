import assert from 'node:assert/strict'
import { describe, it } from '../../running/node-test.ts'
import { basic, register } from '../../service/applications.ts'
import { addApp } from '../../service/devices/factors.ts'
import { type Person, people } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { openPage } from '../../service/wire/live-page.ts'

const REFUSED = [403, 'SECOND_FACTOR_REQUIRED']

async function world() {
  const service = await startService()
  const all = await people(service)
  const require = async () => {
    await all.administrator.saveSettings('authentication', { second_factor: 'required' })
    await service.runJob('events')
  }
  const publish = async (title: string) => {
    await all.administrator.post('/api/admin/create_notification', { title, content: 'C' })
    await service.runJob('events')
  }
  return { service, ...all, require, publish, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

async function live(person: Person) {
  const { status, body } = await person.get('/api/live')
  return [status, body.code]
}

/** In this process and in another one. */
function processesOf(service: Service): readonly Pick<Service, 'request'>[] {
  return [service, { request: service.requestElsewhere }]
}

describe('checklist 85: a page that is open while its user begins to lack a required second factor', {
  timeout: 180_000,
}, () => {
  it('is ended in every process when the setting is switched on, and refused from then on', async () => {
    await using w = await world()
    const pages = await Promise.all(processesOf(w.service).map((process) => openPage(process, w.ann)))
    for (const page of pages) await page.next()

    await w.require()

    for (const page of pages) assert.equal((await page.next()).event, 'closed')
    assert.deepEqual(await live(w.ann), REFUSED)
  })

  it('is ended when the administrator removes the factor', async () => {
    await using w = await world()
    await addApp(w.service, w.administrator)
    await addApp(w.service, w.ann)
    await w.require()
    const page = await openPage(w.service, w.ann)
    await page.next()

    await w.administrator.post('/api/admin/remove_factors', { id: w.ann.id })
    await w.publish('Nothing for Ann')

    assert.equal((await page.next()).event, 'closed')
    assert.deepEqual(await live(w.ann), REFUSED)
  })

  it('is ended if it was opened at the very moment of the change', async () => {
    await using w = await world()
    const opening = Array.from({ length: 8 }, async (_, turns) => {
      for (let i = 0; i < turns * 2; i++) await new Promise((resolve) => setImmediate(resolve))
      return openPage(w.service, w.ann).catch(() => undefined)
    })

    await w.require()
    const pages = await Promise.all(opening)
    await w.service.runJob('events')

    for (const page of pages) {
      if (page?.response.status !== 200) continue
      let told = await page.next()
      while (told.event === 'unread') told = await page.next()
      assert.equal(told.event, 'closed')
    }
  })

  it('continues where it was for a user who has one', async () => {
    await using w = await world()
    await addApp(w.service, w.administrator)
    await addApp(w.service, w.ann)
    const page = await openPage(w.service, w.ann)
    await page.next()
    await w.publish('One')
    const { id = '' } = await page.next()
    await w.require()
    const end = await page.next()
    await w.publish('Two')

    const again = await openPage(w.service, w.ann, { 'last-event-id': id })

    assert.equal(end.event, 'closed')
    assert.equal((await again.next()).data?.title, 'Two')
    await again.close()
  })

  it('is ended when the beta gate is closed, and then gets no notification', async () => {
    await using w = await world()
    const page = await openPage(w.service, w.ann)
    await page.next()

    await w.administrator.saveSettings('authentication', { beta_gate_enabled: true })
    await w.publish('Only for those inside')
    const end = await page.next()
    const again = await openPage(w.service, w.ann)
    await w.publish('Also only for them')
    await w.administrator.post('/api/admin/revoke_user_sessions', { id: w.ann.id })
    await w.service.runJob('events')

    assert.deepEqual([end.event, (await again.next()).event], ['closed', 'signed_out'])
  })
})

describe('checklist 85: what waits for news while its caller begins to lack a required second factor', () => {
  it('is refused instead of answered', async () => {
    await using w = await world()
    const { body } = await w.administrator.post('/api/admin/list_events', { after: 'latest' })
    const waiting = w.administrator.post('/api/admin/list_events', { after: body.next, wait_seconds: 25 })

    await w.require()

    const { status, body: refusal } = await waiting
    assert.deepEqual([status, refusal.code], REFUSED)
  })
})

describe('checklist 85: the feed of a product', () => {
  it('reports a user whose factor was removed, and settings that concern everyone', async () => {
    await using w = await world()
    await addApp(w.service, w.ann)
    const shop = await register(w.administrator, { kind: 'service' })
    const ask = async (after?: string) =>
      (await w.ann.post('/api/oauth/revocations', { after }, basic(shop))).body
    const start = await ask()

    await w.administrator.post('/api/admin/remove_factors', { id: w.ann.id })
    await w.service.runJob('events')
    const removed = await ask(start.next)
    await w.administrator.saveSettings('brand', { name: 'House' })
    await w.service.runJob('events')
    const branded = await ask(removed.next)
    await w.require()
    const required = await ask(branded.next)

    assert.deepEqual(
      removed.items.map(({ kind, id }: { kind: string; id: string }) => [kind, id]),
      [['user', w.ann.id]],
    )
    assert.deepEqual([removed.everyone, branded.everyone, branded.items], [undefined, undefined, []])
    assert.deepEqual([required.everyone, required.items], [true, []])
  })
})
