import assert from 'node:assert/strict'
import type { CompiledQuery } from 'kysely'
import { describe, it } from 'vitest'
import { openWrapped } from '../../../test/interleavings/engines/open-wrapped.ts'
import { WrappedEngine } from '../../../test/interleavings/engines/wrapped-engine.ts'
import { bearer } from '../../../test/service/applications.ts'
import { grantFor } from '../../../test/service/grants.ts'
import { people, stranger } from '../../../test/service/people.ts'
import { startProduct } from '../../../test/service/product.ts'
import { startService } from '../../../test/service/service.ts'
import { isRead } from '../../database/reads.ts'
import { type Reads, StoreReadOnly } from '../../database/store.ts'
import { Dispatcher } from '../webhooks/lanes/dispatcher.ts'
import { addressesOutside } from '../webhooks/sending/addresses.ts'
import { Sender } from '../webhooks/sending/send.ts'

/** Refuses every write while it is closed to writes. */
class ClosableEngine extends WrappedEngine {
  isClosed = false

  override async run(query: CompiledQuery, reads: Reads) {
    if (this.isClosed && !isRead(query)) throw new StoreReadOnly(this.name)
    return super.run(query, reads)
  }

  override async batch(queries: readonly CompiledQuery[]) {
    if (this.isClosed) throw new StoreReadOnly(this.name)
    return super.batch(queries)
  }
}

async function world(env: Readonly<Record<string, string>> = {}) {
  const engines: ClosableEngine[] = []
  const service = await startService({
    env,
    open: (config) =>
      openWrapped(config, (engine) => {
        const closable = new ClosableEngine(engine)
        engines.push(closable)
        return closable
      }),
  })
  const [engine = assert.fail()] = engines
  const { ann, administrator } = await people(service)
  return { service, engine, ann, administrator, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

describe('while the global store refuses writes', () => {
  it('the log says once that the deliveries of a webhook are delayed, and once that they go on', async () => {
    await using w = await world({ WEBHOOK_NETWORKS: '127.0.0.0/8' })
    await using product = await startProduct()
    await w.administrator.post('/api/admin/create_webhook', { url: product.url, types: ['feedback.created'] })
    const sender = new Sender(addressesOutside(['127.0.0.0/8']))
    const dispatcher = new Dispatcher(w.service.platform, sender)
    const turn = async () => {
      await dispatcher.turn()
      await dispatcher.idle()
    }
    await w.ann.post('/api/submit_feedback', { type: 'idea', content: 'More of it' })
    await w.service.runJob('events')

    w.engine.isClosed = true
    for (let turns = 0; turns < 3; turns++) await turn()
    w.engine.isClosed = false
    await turn()
    await dispatcher.close()

    const lines = w.service.log.lines.filter(
      ({ level, message }) => level !== 'debug' && message.startsWith('the deliveries of a webhook'),
    )
    assert.deepEqual(
      lines.map(({ level, message }) => [level, message]),
      [
        ['error', 'the deliveries of a webhook are delayed'],
        ['info', 'the deliveries of a webhook are no longer delayed'],
      ],
    )
  })

  it('a session reads although its use cannot be noted, and writes are 503', async () => {
    await using w = await world()
    w.service.clock.advance({ minutes: 6 })
    w.engine.isClosed = true

    const read = await w.ann.post('/api/list_notifications')
    const write = await w.ann.post('/api/auth/update-user', { name: 'Ann' })

    assert.deepEqual([read.status, write.status, write.body.code], [200, 503, 'STORE_UNAVAILABLE'])
  })

  it('a session that is to be extended reads, and is extended later', async () => {
    await using w = await world()
    w.service.clock.advance({ days: 28 })
    w.engine.isClosed = true
    const meanwhile = await w.ann.post('/api/list_notifications')

    w.engine.isClosed = false
    const extended = await w.ann.post('/api/list_notifications')
    w.service.clock.advance({ days: 28 })
    const later = await w.ann.post('/api/list_notifications')

    assert.deepEqual([meanwhile.status, later.status], [200, 200])
    assert.doesNotMatch(meanwhile.headers.get('set-cookie') ?? '', /session/)
    assert.match(extended.headers.get('set-cookie') ?? '', /session/)
  })

  it('a tool reads', async () => {
    await using w = await world()
    const { tokens } = await grantFor(w.ann, 'operations:notifications:read')
    w.service.clock.advance({ minutes: 2 })
    w.engine.isClosed = true

    const { status } = await stranger(w.service).post(
      '/api/list_notifications',
      {},
      bearer(tokens.access_token),
    )

    assert.equal(status, 200)
  })
})
