import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { untilSo } from '../../../test/faults/support/replicated.ts'
import { WrappedEngine } from '../../../test/interleavings/engines/wrapped-engine.ts'
import { type Person, people, stranger } from '../../../test/service/people.ts'
import { type Service, startService } from '../../../test/service/service.ts'
import type { ShardAddress } from '../../config/shards.ts'
import { isPostgres } from '../../config/shards.ts'
import { PostgresEngine } from '../../database/postgres/engine.ts'
import type { ShardTables } from '../../database/schema/tables.ts'
import { SqliteEngine } from '../../database/sqlite/engine.ts'
import { Store, StoreUnavailable } from '../../database/store.ts'
import { openStores } from '../../database/stores.ts'
import { moveUser } from './moving.ts'

const FROZEN = 'apac-1'

/** Its batches wait until it thaws, or fail once; those about one user can fail always. */
class FreezableEngine extends WrappedEngine {
  frozen: PromiseWithResolvers<void> | undefined
  failure: Error | undefined
  damagedUser: string | undefined

  constructor({ id, url }: ShardAddress) {
    super(isPostgres(url) ? new PostgresEngine(id, { url }) : new SqliteEngine(id, url))
  }

  override async run(...query: Parameters<WrappedEngine['run']>) {
    await this.frozen?.promise
    return super.run(...query)
  }

  override async batch(...batch: Parameters<WrappedEngine['batch']>) {
    await this.frozen?.promise
    const { failure } = this
    this.failure = undefined
    if (failure) throw failure
    const { damagedUser } = this
    if (damagedUser !== undefined && batch[0].some(({ parameters }) => parameters.includes(damagedUser)))
      throw new StoreUnavailable(this.name)
    return super.batch(...batch)
  }
}

/** Ann's and Carl's shard can be frozen; Ben's is another. */
async function world() {
  const engines: FreezableEngine[] = []
  const ending = new AbortController()
  const service = await startService({
    platform: { ending: ending.signal },
    async open(config) {
      const { meta, shards } = await openStores({
        ...config,
        shards: config.shards.filter(({ id }) => id !== FROZEN),
      })
      const address = config.shards.find(({ id }) => id === FROZEN) ?? assert.fail()
      const engine = new FreezableEngine(address)
      engines.push(engine)
      return { meta, shards: new Map([...shards, [FROZEN, new Store<ShardTables>(engine)]]) }
    },
  })
  const [engine = assert.fail()] = engines
  const { administrator, ann, ben } = await people(service)
  await moveUser(service.platform, ben.id, 'oc-1')
  for (const person of [ann, ben]) await write(person)
  return {
    service,
    engine,
    ending,
    administrator,
    ann,
    ben,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

async function write(person: Person): Promise<void> {
  const { status } = await person.post(
    '/api/submit_feedback',
    { type: 'idea', content: 'Hello' },
    { 'idempotency-key': 'a key' },
  )
  assert.equal(status, 200)
}

async function rowsOf(
  { platform }: Service,
  shardId: string,
  table: 'feedbacks' | 'idempotency_keys',
  userId: string,
) {
  const shard = platform.shards.get(shardId) ?? assert.fail()
  const rows = await shard.selectFrom(table).select('id').where('user_id', '=', userId).execute()
  return rows.length
}

/** Runs the job while the shard is frozen, until it is so. */
async function whileFrozen(
  { service, engine }: Awaited<ReturnType<typeof world>>,
  job: string,
  isSo: () => Promise<boolean>,
) {
  engine.frozen = Promise.withResolvers()
  const running = service.runJob(job)
  await untilSo('the other shard is served', isSo)
  engine.frozen.resolve()
  engine.frozen = undefined
  await running
}

describe('a shard that does not respond', () => {
  it('holds up no erasure in another shard', async () => {
    await using w = await world()
    for (const { id } of [w.ann, w.ben]) await w.administrator.post('/api/admin/delete_user', { id })

    await whileFrozen(
      w,
      'erasure',
      async () => (await rowsOf(w.service, 'oc-1', 'feedbacks', w.ben.id)) === 0,
    )

    assert.equal(await rowsOf(w.service, FROZEN, 'feedbacks', w.ann.id), 0)
  })

  it('holds up no move between two others', async () => {
    await using w = await world()
    const stop = () => assert.fail('killed here')
    await assert.rejects(moveUser(w.service.platform, w.ann.id, 'weur-1', stop))
    await assert.rejects(moveUser(w.service.platform, w.ben.id, 'weur-1', stop))
    w.service.clock.advance({ minutes: 1 })

    await whileFrozen(
      w,
      'moves',
      async () => (await rowsOf(w.service, 'weur-1', 'feedbacks', w.ben.id)) === 1,
    )

    assert.equal(await rowsOf(w.service, 'weur-1', 'feedbacks', w.ann.id), 1)
  })

  it('does not keep used-up Idempotency-Keys in another shard', async () => {
    await using w = await world()
    w.service.clock.advance({ hours: 25 })

    await whileFrozen(
      w,
      'idempotency-sweep',
      async () => (await rowsOf(w.service, 'oc-1', 'idempotency_keys', w.ben.id)) === 0,
    )

    assert.equal(await rowsOf(w.service, FROZEN, 'idempotency_keys', w.ann.id), 0)
  })
})

describe('a process that stops', () => {
  it('begins no further interrupted move', async () => {
    await using w = await world()
    const stop = () => assert.fail('killed here')
    await assert.rejects(moveUser(w.service.platform, w.ben.id, 'weur-1', stop))
    w.service.clock.advance({ minutes: 1 })
    w.ending.abort()

    await w.service.runJob('moves')

    assert.equal(await rowsOf(w.service, 'weur-1', 'feedbacks', w.ben.id), 0)
  })
})

describe('an erasure that fails', () => {
  it('holds up none after it, and is repeated', async () => {
    await using w = await world()
    const carl = stranger(w.service)
    await carl.signUp()
    await write(carl)
    for (const { id } of [w.ann, carl]) await w.administrator.post('/api/admin/delete_user', { id })
    w.engine.failure = new Error('broken')

    await w.service.runJob('erasure')
    const after = await rowsOf(w.service, FROZEN, 'feedbacks', carl.id)
    await w.service.runJob('erasure')

    assert.equal(after, 0)
    assert.equal(await rowsOf(w.service, FROZEN, 'feedbacks', w.ann.id), 0)
  })

  it('always, as if its shard were away, waits for those that can be done', async () => {
    await using w = await world()
    const carl = stranger(w.service)
    await carl.signUp()
    await write(carl)
    for (const { id } of [w.ann, carl]) await w.administrator.post('/api/admin/delete_user', { id })
    w.engine.damagedUser = w.ann.id

    await w.service.runJob('erasure')
    await w.service.runJob('erasure')

    assert.equal(await rowsOf(w.service, FROZEN, 'feedbacks', carl.id), 0)
  })
})
