import assert from 'node:assert/strict'
import type { CompiledQuery } from 'kysely'
import { describe } from 'vitest'
import { openWrapped } from '../../../../test/interleavings/engines/open-wrapped.ts'
import { WrappedEngine } from '../../../../test/interleavings/engines/wrapped-engine.ts'
import { assertRefused } from '../../../../test/service/answers.ts'
import { bearer } from '../../../../test/service/applications.ts'
import { grantFor } from '../../../../test/service/grants.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { stranger } from '../../../../test/service/people.ts'
import { startProduct } from '../../../../test/service/product.ts'
import type { Options } from '../../../../test/service/service.ts'
import type { Work } from '../../../database/decision.ts'
import { isRead } from '../../../database/reads.ts'
import { type Engine, type Reads, StoreReadOnly } from '../../../database/store.ts'
import { Transport } from '../../../platform/endpoints/transport.ts'
import { addressesOutside } from '../../../platform/public-addresses.ts'
import { Dispatcher } from '../../delivery/webhooks/lanes/dispatcher.ts'

interface Door {
  isClosed: boolean
}

/** Refuses every write while it is closed to writes. */
class ClosableEngine extends WrappedEngine {
  readonly #door: Door

  constructor(engine: Engine, door: Door) {
    super(engine)
    this.#door = door
  }

  override async run(query: CompiledQuery, reads: Reads) {
    if (this.#door.isClosed && !isRead(query)) throw new StoreReadOnly(this.name)
    return super.run(query, reads)
  }

  override async batch(queries: readonly CompiledQuery[]) {
    if (this.#door.isClosed) throw new StoreReadOnly(this.name)
    return super.batch(queries)
  }

  override async decide(work: Work) {
    if (this.#door.isClosed) throw new StoreReadOnly(this.name)
    return super.decide(work)
  }
}

interface Given {
  /** Closes the global store to writes. */
  readonly door: Door
  readonly options: Options
}

const it = withService.extend<Given>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  door: async ({}, use) => use({ isClosed: false }),
  options: async ({ door }, use) =>
    use({
      env: { WEBHOOK_NETWORKS: '127.0.0.0/8' },
      open: (config) => openWrapped(config, (engine) => new ClosableEngine(engine, door)),
    }),
})

describe('while the global store refuses writes', () => {
  it('the log says once that the deliveries of a webhook are delayed, and once that they go on', async ({
    service,
    administrator,
    ann,
    door,
  }) => {
    await using product = await startProduct()
    await administrator.post('/api/admin/create_webhook', { url: product.url, types: ['feedback.created'] })
    const dispatcher = new Dispatcher(
      service.platform,
      new Transport(addressesOutside(['127.0.0.0/8']), service.platform.names),
    )
    const turn = async () => {
      await dispatcher.turn()
      await dispatcher.idle()
    }
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'More of it' })
    await service.runJob('events')

    door.isClosed = true
    for (let turns = 0; turns < 3; turns++) await turn()
    door.isClosed = false
    await turn()
    await dispatcher.close()

    const lines = service.log.lines.filter(
      ({ level, message }) => level !== 'debug' && message.startsWith('the deliveries of a webhook'),
    )
    assert.deepEqual(
      lines.map(({ level, message }) => `${level}: ${message}`),
      ['error: the deliveries of a webhook are delayed', 'info: the deliveries of a webhook are no longer delayed'],
    )
  })

  it('a session can read although its use cannot be noted; writes are 503', async ({ service, ann, door }) => {
    service.clock.advance({ minutes: 6 })
    door.isClosed = true

    assert.equal((await ann.post('/api/list_notifications')).status, 200)
    assertRefused(await ann.post('/api/auth/update-user', { name: 'Ann' }), 'STORE_UNAVAILABLE')
  })

  it('a session that is due for extension can read, and is extended later', async ({ service, ann, door }) => {
    service.clock.advance({ days: 28 })
    door.isClosed = true
    const meanwhile = await ann.post('/api/list_notifications')

    door.isClosed = false
    const extended = await ann.post('/api/list_notifications')
    service.clock.advance({ days: 28 })
    const later = await ann.post('/api/list_notifications')

    assert.deepEqual([meanwhile.status, later.status], [200, 200])
    assert.doesNotMatch(meanwhile.headers.get('set-cookie') ?? '', /session/)
    assert.match(extended.headers.get('set-cookie') ?? '', /session/)
  })

  it('a tool can read', async ({ service, ann, door }) => {
    const { tokens } = await grantFor(ann, 'operations:notifications:read')
    service.clock.advance({ minutes: 2 })
    door.isClosed = true

    const held = bearer(tokens.access_token)
    assert.equal((await stranger(service).post('/api/list_notifications', {}, held)).status, 200)
  })
})
