import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CompiledQuery } from 'kysely'
import { openWrapped } from '../../../test/interleavings/engines/open-wrapped.ts'
import { WrappedEngine } from '../../../test/interleavings/engines/wrapped-engine.ts'
import { bearer } from '../../../test/service/applications.ts'
import { grantFor } from '../../../test/service/grants.ts'
import { people, stranger } from '../../../test/service/people.ts'
import { startService } from '../../../test/service/service.ts'
import { isRead } from '../../database/reads.ts'
import { type Reads, StoreReadOnly } from '../../database/store.ts'

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

async function world() {
  const engines: ClosableEngine[] = []
  const service = await startService({
    open: (config) =>
      openWrapped(config, (engine) => {
        const closable = new ClosableEngine(engine)
        engines.push(closable)
        return closable
      }),
  })
  const [engine = assert.fail()] = engines
  const { ann } = await people(service)
  return { service, engine, ann, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

describe('while the global store refuses writes', () => {
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
