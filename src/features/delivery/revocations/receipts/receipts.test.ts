import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../../test/service/answers.ts'
import { basic, type Registered, register } from '../../../../../test/service/applications.ts'
import { it as base } from '../../../../../test/service/it.ts'
import { type Answer, stranger } from '../../../../../test/service/people.ts'
import { ask as asking } from '../../../../../test/service/without-socket.ts'
import { createApp } from '../../../../app.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { HOUR_MILLISECONDS } from '../../../../rules/time.ts'
import { Readers } from './readers.ts'
import { exchangeReaders } from './telling.ts'

interface Verifiers {
  readonly items: readonly {
    readonly application: string
    readonly verifier: string
    readonly name: string
    readonly version: string
    readonly read_to: string
    readonly lag_ms: number
  }[]
  readonly total: number
}

interface One {
  readonly name: string
  readonly at?: number
  readonly until?: number | null
}

interface Receipt {
  readonly ended_at: number
  readonly refused_by: readonly One[]
  readonly waiting: readonly One[]
  readonly silent: readonly One[]
}

interface Fixtures {
  readonly shop: Registered
  /** A back end of the shop reads the feed, from where it was. */
  readonly read: (name: string, after?: string, fields?: object) => Promise<string>
  readonly verifiers: () => Promise<Verifiers>
  readonly receipt: (kind: string, id: string) => Promise<Answer<Receipt>>
}

const it = base.extend<Fixtures>({
  shop: async ({ administrator }, use) => use(await register(administrator, { kind: 'service' })),
  read: async ({ service, shop }, use) => {
    await service.runJob('events')
    await use(async (name, after, fields = {}) => {
      const asked = { after, verifier: `id-of-${name}`, name, version: '0.3.0', outage: 0, ...fields }
      const { status, body } = await stranger(service).post('/api/oauth/revocations', asked, basic(shop))
      assert.equal(status, 200)
      return body.next
    })
  },
  verifiers: async ({ administrator }, use) =>
    use(async () => (await administrator.post('/api/admin/list_verifiers')).body),
  receipt: async ({ administrator }, use) =>
    use((kind, id) => administrator.post('/api/admin/get_receipt', { kind, id })),
})

const names = (list: readonly One[]) => list.map(({ name }) => name)

describe('a receipt', () => {
  it('says who has read the end and when, who has not yet, and who was not heard since, and until when it may accept', async ({
    service,
    ann,
    read,
    receipt,
  }) => {
    const { session } = (await ann.get('/api/auth/get-session')).body
    const [one, two] = [await read('one'), await read('two')]
    await read('three', undefined, { outage: 600 })
    const seenAt = service.clock.now()
    service.clock.advance({ milliseconds: 500 })
    await ann.post('/api/auth/sign-out')
    const endedAt = service.clock.now()
    const unplaced = (await receipt('session', session.id)).body
    await service.runJob('events')
    service.clock.advance({ milliseconds: 300 })
    const next = await read('one', one)
    const told = (await receipt('session', session.id)).body
    await read('one', next)
    const refusedAt = service.clock.now()
    service.clock.advance({ milliseconds: 4_201 })
    await read('two', two)
    const later = (await receipt('session', session.id)).body

    assert.deepEqual([names(unplaced.refused_by), names(unplaced.waiting)], [[], ['one', 'three', 'two']])
    assert.deepEqual([told.ended_at, names(told.waiting)], [endedAt, ['one', 'three', 'two']])
    assert.deepEqual(
      later.refused_by.map(({ name, at }) => [name, at]),
      [['one', refusedAt]],
    )
    assert.deepEqual(names(later.waiting), ['two'])
    assert.deepEqual(
      later.silent.map(({ name, until }) => [name, until]),
      [['three', seenAt + 600_000]],
    )
  })

  it('of a user is that of the last thing that ended, and of a grant also that of its session', async ({
    service,
    administrator,
    ann,
    read,
    receipt,
  }) => {
    const begun = await read('one')
    await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'Sent spam.' })
    await service.runJob('events')
    const after = await read('one', begun)
    const before = (await receipt('user', ann.id)).body
    await read('one', after)
    const done = (await receipt('user', ann.id)).body

    assert.deepEqual([names(before.waiting), names(done.refused_by)], [['one'], ['one']])
  })

  it('is 404 for what did not end, for what ended more than an hour ago, and only for who may see it', async ({
    service,
    ann,
    receipt,
  }) => {
    const { session } = (await ann.get('/api/auth/get-session')).body
    assert.equal((await receipt('session', session.id)).status, 404)
    await ann.post('/api/auth/sign-out')
    await service.runJob('events')
    service.clock.advance({ minutes: 59 })
    const within = await receipt('session', session.id)
    service.clock.advance({ minutes: 1 })
    const after = await receipt('session', session.id)

    assert.deepEqual([within.status, after.status], [200, 404])
  })

  it('names each of a thousand that refuses it, and each that is silent', async ({
    service,
    administrator,
    ann,
    receipt,
  }) => {
    const { session } = (await ann.get('/api/auth/get-session')).body
    await service.runJob('events')
    const shops = await Promise.all(
      Array.from({ length: 10 }, (_, i) => register(administrator, { kind: 'service', name: `Shop ${i}` })),
    )
    const all = shops.flatMap((shop) => Array.from({ length: 100 }, (_, i) => ({ shop, name: `${shop.id}-${i}` })))
    const readEach = async (some: typeof all, after?: string) => {
      let next = ''
      for (const { shop, name } of some) {
        const asked = { after, verifier: name, name }
        next = (await stranger(service).post('/api/oauth/revocations', asked, basic(shop))).body.next
      }
      return next
    }
    const begun = await readEach(all)
    await ann.post('/api/auth/sign-out')
    await service.runJob('events')
    const before = (await receipt('session', session.id)).body
    const after = await readEach(all.slice(-1), begun)
    service.clock.advance({ milliseconds: 5_001 })
    await readEach(all.slice(25), after)
    const told = (await receipt('session', session.id)).body

    assert.equal(before.waiting.length, 1_000)
    assert.deepEqual(names(told.refused_by).toSorted(), names(all.slice(25)).toSorted())
    assert.deepEqual(names(told.silent).toSorted(), names(all.slice(0, 25)).toSorted())
    assert.deepEqual(told.waiting, [])
  })

  it('does not count a back end that was last heard long before the end, or that does not say who it is', async ({
    service,
    ann,
    read,
    receipt,
    verifiers,
  }) => {
    const { session } = (await ann.get('/api/auth/get-session')).body
    await read('gone')
    service.clock.advance({ milliseconds: 5_001 })
    await read('old', undefined, { verifier: undefined })
    await ann.post('/api/auth/sign-out')
    await service.runJob('events')

    const { body } = await receipt('session', session.id)
    assert.deepEqual([body.refused_by, body.waiting, body.silent], [[], [], []])
    assert.deepEqual(names((await verifiers()).items), ['gone'])
  })
})

describe('the list of verifiers', () => {
  it('has those of the last hour, with what they have read and how late they are', async ({
    service,
    ann,
    shop,
    read,
    verifiers,
  }) => {
    const after = await read('one')
    await read('two')
    await read('one', after)
    await read('two', after)
    const before = await verifiers()
    await ann.post('/api/auth/sign-out')
    await service.runJob('events')
    service.clock.advance({ milliseconds: 750 })
    await read('two', await read('two', after))
    const late = await verifiers()
    service.clock.advance({ hours: 1 })

    assert.deepEqual(before.items[0], {
      ...{ application: shop.client_id, verifier: 'id-of-one', name: 'one', version: '0.3.0', read_to: after },
      ...{ seen_at: service.clock.now() - 3_600_750, lag_ms: 0 },
    })
    assert.deepEqual(
      late.items.map(({ name, lag_ms }) => [name, lag_ms]),
      [
        ['one', 750],
        ['two', 0],
      ],
    )
    assert.deepEqual(await verifiers(), { items: [], total: 0 })
  })

  it('keeps nothing of a back end that it has forgotten, not even news for other processes', () => {
    const readers = new Readers()
    const heard = { application: 'shop', verifier: 'one', name: 'One', version: '', outage: 0, seen_at: 0, steps: [] }
    readers.hear(heard)
    readers.list(HOUR_MILLISECONDS)
    readers.merge({ ...heard, seen_at: HOUR_MILLISECONDS })

    assert.deepEqual(readers.takeNews(0), [])
  })

  it('is the same in every process, within their next exchange', async ({ service, ann, shop, read, receipt }) => {
    const other: Platform = { ...service.platform }
    const there = createApp(other)
    const readThere = async (after: string) => {
      const asked = { after, verifier: 'id-of-one', name: 'one' }
      const init = { method: 'POST', headers: { ...basic(shop), 'content-type': 'application/json' } }
      return asking(there, '/api/oauth/revocations', { ...init, body: JSON.stringify(asked) }, '127.0.0.1')
    }
    const { session } = (await ann.get('/api/auth/get-session')).body
    const begun = await read('one')
    await ann.post('/api/auth/sign-out')
    await service.runJob('events')
    const after = await read('one', begun)
    await readThere(after)
    const at = service.clock.now()
    const before = (await receipt('session', session.id)).body
    service.clock.advance({ milliseconds: 900 })
    await exchangeReaders(other)
    await exchangeReaders(service.platform)
    const told = (await receipt('session', session.id)).body

    assert.deepEqual([names(before.waiting), before.refused_by], [['one'], []])
    assert.deepEqual(
      told.refused_by.map(({ name, at }) => [name, at]),
      [['one', at]],
    )
  })

  it('has a hundred of an application and a thousand in all; the longest unheard go first', async ({
    service,
    administrator,
    read,
    verifiers,
  }) => {
    await read('kept')
    for (let i = 0; i < 150; i++) {
      await read(`hostile ${i}`, undefined, { verifier: `id-${i}` })
      if (i === 60) await read('kept')
    }
    const ofOne = await verifiers()
    const shops = await Promise.all(
      Array.from({ length: 11 }, (_, i) => register(administrator, { kind: 'service', name: `Shop ${i}` })),
    )
    for (const shop of shops)
      for (let i = 0; i < 100; i++)
        await stranger(service).post('/api/oauth/revocations', { verifier: `id-${i}` }, basic(shop))
    const inAll = await verifiers()

    assert.equal(ofOne.total, 100)
    assert.ok(names(ofOne.items).includes('kept'))
    assert.ok(!names(ofOne.items).includes('hostile 49'))
    assert.equal(inAll.total, 1_000)
    assert.ok(!inAll.items.some(({ application }) => application === shops[0]?.client_id))
  })

  it('takes no markup, no second line and no long text for a name or an id', async ({
    service,
    shop,
    read,
    verifiers,
  }) => {
    await read('mark', undefined, { name: '<img src=x>\n\u202eevil' })
    const refused = await Promise.all(
      [
        { verifier: 'a b' },
        { verifier: 'x'.repeat(65) },
        { verifier: 'a', name: 'x'.repeat(65) },
        { verifier: 'a', version: 'x'.repeat(33) },
        { verifier: 'a', outage: 86_401 },
        { verifier: 'a', outage: -1 },
        { verifier: 'a', name: '\u0000' },
        { verifier: { a: 1 } },
      ].map(async (fields) => (await stranger(service).post('/api/oauth/revocations', fields, basic(shop))).status),
    )

    assert.deepEqual(names((await verifiers()).items), ['<img src=x> evil'])
    assert.ok(refused.every((status) => status === 400))
  })

  it('is not for users, nor for other scopes', async ({ ann }) => {
    assertRefused(await ann.post('/api/admin/list_verifiers'), 'FORBIDDEN')
  })
})

describe('gatehouse_verifier_lag_seconds', () => {
  it('is the lag of the latest of each application, without those that are silent', async ({
    service,
    ann,
    shop,
    read,
  }) => {
    const after = await read('one')
    await read('silent')
    await read('silent', after)
    await ann.post('/api/auth/sign-out')
    await service.runJob('events')
    service.clock.advance({ seconds: 6 })
    await read('one', after)

    const text = await service.platform.metrics.text()

    assert.ok(text.includes(`gatehouse_verifier_lag_seconds{application="${shop.client_id}"} 6\n`), text)
  })
})
