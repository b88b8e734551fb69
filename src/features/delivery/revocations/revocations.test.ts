import assert from 'node:assert/strict'
import { setImmediate as turnOfEvents } from 'node:timers/promises'
import { describe } from 'vitest'
import { basic, type Registered, register } from '../../../../test/service/applications.ts'
import { eventRow } from '../../../../test/service/event-rows.ts'
import { it as base } from '../../../../test/service/it.ts'
import { type Answer, stranger } from '../../../../test/service/people.ts'
import type { Options } from '../../../../test/service/service.ts'
import { LocalSignals } from '../../../platform/signals/signals.ts'
import { ORDER_MOVED } from '../../ground/events/order.ts'
import { insertEvents } from '../../ground/events/statements.ts'

/** Says when somebody begins to wait for events, and how many do. */
class WatchedSignals extends LocalSignals {
  readonly isAwaited = Promise.withResolvers<void>()
  waiting = 0

  override listen(topic: string) {
    const listening = super.listen(topic)
    const next = (milliseconds: number) => {
      if (topic === ORDER_MOVED) this.isAwaited.resolve()
      if (topic === ORDER_MOVED) this.waiting++
      return listening.next(milliseconds)
    }
    return { next, stop: listening.stop }
  }
}

const HUNDREDS = 300

interface Fixtures {
  readonly signals: WatchedSignals
  readonly shop: Registered
  /** The application asks for what is revoked. */
  readonly ask: (fields: object) => Promise<Answer<Page>>
  /** The cursor at which its feed began. */
  readonly after: string
}

interface Page {
  readonly items: readonly { readonly id: string }[]
  readonly next: string
  readonly error?: string
}

const it = base.extend<Fixtures & { readonly options: Options }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  signals: async ({}, use) => use(new WatchedSignals()),
  options: async ({ signals }, use) => use({ platform: { signals } }),
  shop: async ({ administrator }, use) => use(await register(administrator, { kind: 'service' })),
  ask: async ({ service, shop }, use) => {
    await service.runJob('events')
    await use((fields) => stranger(service).post('/api/oauth/revocations', fields, basic(shop)))
  },
  after: async ({ ask }, use) => use((await ask({})).body.next),
})

describe('a page of revocations', () => {
  it('is full as long as more follow, whatever other events are between them', async ({ service, ask, after }) => {
    const { meta, now } = service.platform
    const save = { type: 'settings.saved', user_id: null, data: { part: 'brand' } } as const
    const ends = Array.from({ length: 1_001 }, (_, i) => {
      return { type: 'session.ended', user_id: null, data: { id: `session ${i}` } } as const
    })
    await meta.batch([save, ...ends].map((event) => insertEvents(meta, eventRow(event, now()))))
    await service.runJob('events')

    const first = await ask({ after })
    const second = await ask({ after: first.body.next })

    assert.deepEqual([first.body.items.length, second.body.items.length], [1_000, 1])
    assert.equal(new Set(first.body.items.map(({ id }) => id)).size, 1_000)
  })
})

describe('revocations that have no place in the order yet', () => {
  it('make the feed unavailable after three seconds, until they have one', async ({ service, ann, ask, after }) => {
    await ann.post('/api/auth/sign-out')

    service.clock.advance({ seconds: 3 })
    const soon = await ask({ after })
    service.clock.advance({ milliseconds: 1 })
    const late = await ask({ after })
    await service.runJob('events')
    const placed = await ask({ after })

    assert.deepEqual([soon.status, soon.body.items], [200, []])
    assert.equal(late.status, 503)
    assert.deepEqual([placed.status, placed.body.items.length], [200, 1])
  })
})

describe('a revocation that gets its overdue place while the page is read', () => {
  it('is on that page: a verifier that gets it knows of everything before', async ({
    service,
    ann,
    ask,
    after,
    mock,
  }) => {
    await ann.post('/api/auth/sign-out')
    service.clock.advance({ seconds: 4 })
    const { primary } = service.platform.meta
    const run: typeof primary.run = primary.run.bind(primary)
    mock.method(primary, 'run', async (query: Parameters<typeof run>[0]) => {
      if (query.compile().sql.includes('"position" is null')) await service.runJob('events')
      return run(query)
    })

    const page = await ask({ after })

    assert.deepEqual([page.status, page.body.items.length], [200, 1])
  })
})

describe('an application that waits for revocations', () => {
  it.for([
    ['gets them', undefined, 200],
    ['gets none once its secret is replaced', 'rotate_application_secret', 401],
    ['gets none once it is deleted', 'delete_application', 401],
  ] as const)('%s', async ([, act, expected], { service, administrator, ann, signals, shop, ask, after }) => {
    const waiting = ask({ after, wait_seconds: 25 })
    await signals.isAwaited.promise
    if (act) await administrator.post(`/api/admin/${act}`, { id: shop.id })
    await ann.post('/api/auth/sign-out')
    await service.runJob('events')
    const { status, body } = await waiting

    const shown = [status, body.error, body.items?.length]
    assert.deepEqual(shown, expected === 200 ? [200, undefined, 1] : [401, 'invalid_client', undefined])
  })
})

describe('a revocation for which hundreds wait', () => {
  it('is read once for all of them: each is asked for its secret again, and nothing else', async ({
    service,
    ann,
    signals,
    ask,
    after,
    mock,
  }) => {
    const asked = Array.from({ length: HUNDREDS }, () => ask({ after, wait_seconds: 25 }))
    while (signals.waiting < HUNDREDS) await turnOfEvents()
    await ann.post('/api/auth/sign-out')
    const { primary } = service.platform.meta
    const snapshot = mock.method(service.platform.meta, 'snapshot')
    const run = mock.method(primary, 'run')
    await service.runJob('events')
    const pages = await Promise.all(asked)

    assert.ok(pages.every(({ body }) => body.items.length === 1))
    const [snapshots, runs] = [snapshot, run].map((calls) => calls.mock.callCount())
    assert.ok(Number(snapshots) < 20 && Number(runs) < HUNDREDS + 40, `${snapshots} snapshots, ${runs} statements`)
  })
})
