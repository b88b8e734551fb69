import assert from 'node:assert/strict'
import { describe, it } from '../../../test/running/node-test.ts'
import { basic, type Registered, register } from '../../../test/service/applications.ts'
import { type Answer, type Person, people, stranger } from '../../../test/service/people.ts'
import { startService } from '../../../test/service/service.ts'
import { LocalSignals } from '../../platform/signals/signals.ts'
import { ORDER_MOVED } from '../events/order.ts'
import { eventRow, insertEvent } from '../events/statements.ts'

/** Says when somebody begins to wait for events. */
class WatchedSignals extends LocalSignals {
  readonly isAwaited = Promise.withResolvers<void>()

  override listen(topic: string) {
    const listening = super.listen(topic)
    const next = (milliseconds: number) => {
      if (topic === ORDER_MOVED) this.isAwaited.resolve()
      return listening.next(milliseconds)
    }
    return { next, stop: listening.stop }
  }
}

/** An application follows what is revoked; something happens to it while it waits, and then Ann signs out. */
async function followed(
  happen: (administrator: Person, shop: Registered) => Promise<unknown>,
): Promise<Answer<Record<string, unknown>>> {
  const signals = new WatchedSignals()
  await using service = await startService({ platform: { signals } })
  const { administrator, ann } = await people(service)
  const shop = await register(administrator, { kind: 'service' })
  await service.runJob('events')
  const ask = (fields: object) => stranger(service).post('/api/oauth/revocations', fields, basic(shop))
  const { body } = await ask({})

  const waiting = ask({ after: body.next, wait_seconds: 25 })
  await signals.isAwaited.promise
  await happen(administrator, shop)
  await ann.post('/api/auth/sign-out')
  await service.runJob('events')
  return await waiting
}

describe('a page of revocations', () => {
  it('is full as long as more follow, whatever other events are between them', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    const { meta, now } = service.platform
    const shop = await register(administrator, { kind: 'service' })
    await service.runJob('events')
    const ask = (fields: object) => stranger(service).post('/api/oauth/revocations', fields, basic(shop))
    const start = await ask({})
    const save = { type: 'settings.saved', user_id: null, data: { part: 'brand' } } as const
    const ends = Array.from({ length: 1_000 }, (_, i) => {
      return { type: 'session.ended', user_id: null, data: { id: `session ${i}` } } as const
    })
    await meta.batch([save, ...ends].map((event) => insertEvent(meta, eventRow(event, now()))))
    await service.runJob('events')

    const first = await ask({ after: start.body.next })
    const second = await ask({ after: first.body.next })

    assert.deepEqual([first.body.items.length, second.body.items.length], [1_000, 0])
    assert.deepEqual(new Set(first.body.items.map(({ id }: { id: string }) => id)).size, 1_000)
  })
})

describe('revocations that have no place in the order yet', () => {
  it('are not concealed: after three seconds the feed is unavailable, until they have one', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator, { kind: 'service' })
    await service.runJob('events')
    const ask = (fields: object) => stranger(service).post('/api/oauth/revocations', fields, basic(shop))
    const { body } = await ask({})
    await ann.post('/api/auth/sign-out')

    const soon = await ask({ after: body.next })
    service.clock.advance({ seconds: 4 })
    const late = await ask({ after: body.next })
    await service.runJob('events')
    const placed = await ask({ after: body.next })

    assert.deepEqual([soon.status, soon.body.items], [200, []])
    assert.equal(late.status, 503)
    assert.deepEqual([placed.status, placed.body.items.length], [200, 1])
  })
})

describe('a revocation that gets its overdue place while the page is read', () => {
  it('is on that page: a verifier that gets it knows of everything before', async (t) => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator, { kind: 'service' })
    await service.runJob('events')
    const ask = (fields: object) => stranger(service).post('/api/oauth/revocations', fields, basic(shop))
    const { body } = await ask({})
    await ann.post('/api/auth/sign-out')
    service.clock.advance({ seconds: 4 })
    const { primary } = service.platform.meta
    const run: typeof primary.run = primary.run.bind(primary)
    t.mock.method(primary, 'run', async (query: Parameters<typeof run>[0]) => {
      if (query.compile().sql.includes('"position" is null')) await service.runJob('events')
      return run(query)
    })

    const page = await ask({ after: body.next })

    assert.deepEqual([page.status, page.body.items.length], [200, 1])
  })
})

describe('an application that waits for revocations', () => {
  it('gets them', async () => {
    const { status, body } = await followed(async () => undefined)

    assert.equal(status, 200)
    assert.equal((body.items as readonly unknown[]).length, 1)
  })

  it('gets none once its secret is replaced', async () => {
    const { status, body } = await followed((administrator, { id }) =>
      administrator.post('/api/admin/rotate_application_secret', { id }),
    )

    assert.deepEqual([status, body.error], [401, 'invalid_client'])
  })

  it('gets none once it is deleted', async () => {
    const { status, body } = await followed((administrator, { id }) =>
      administrator.post('/api/admin/delete_application', { id }),
    )

    assert.deepEqual([status, body.error], [401, 'invalid_client'])
  })
})
