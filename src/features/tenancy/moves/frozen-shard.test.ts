import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { untilSo } from '../../../../test/faults/support/replicated.ts'
import { WrappedEngine } from '../../../../test/interleavings/engines/wrapped-engine.ts'
import { newcomer, type Person, people } from '../../../../test/service/people.ts'
import { startService } from '../../../../test/service/service.ts'
import { AWAY, HOME as FROZEN, stoppedMove } from '../../../../test/service/stores/shard-moves.ts'
import { isPostgres, type ShardAddress } from '../../../config/shards.ts'
import { PostgresEngine } from '../../../database/postgres/engine.ts'
import type { ShardTables } from '../../../database/schema/tables.ts'
import { SqliteEngine } from '../../../database/sqlite/engine.ts'
import { Store, StoreUnavailable } from '../../../database/store.ts'
import { openStores } from '../../../database/stores.ts'
import { getShard } from '../shards/shards.ts'
import { moveUser } from './moving.ts'

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
      const others = config.shards.filter(({ id }) => id !== FROZEN)
      const { meta, shards } = await openStores({ ...config, shards: others })
      const engine = new FreezableEngine(config.shards.find(({ id }) => id === FROZEN) ?? assert.fail())
      engines.push(engine)
      return { meta, shards: new Map([...shards, [FROZEN, new Store<ShardTables>(engine)]]) }
    },
  })
  const [engine = assert.fail()] = engines
  const persons = await people(service)
  const { administrator, ann, ben } = persons
  await moveUser(service.platform, ben.id, AWAY)
  for (const person of [ann, ben]) await write(person)
  return {
    ...{ service, engine, ending, ...persons },
    async rows(shardId: string, { id }: Person, table: 'feedbacks' | 'idempotency_keys' = 'feedbacks') {
      const rows = getShard(service.platform, shardId).selectFrom(table).select('id')
      return (await rows.where('user_id', '=', id).execute()).length
    },
    /** Runs the job while the shard is frozen, and waits until the condition holds. */
    async whileFrozen(job: string, isSo: () => Promise<boolean>): Promise<void> {
      engine.frozen = Promise.withResolvers()
      const running = service.runJob(job)
      await untilSo('the other shard is served', isSo)
      engine.frozen.resolve()
      engine.frozen = undefined
      await running
    },
    /** Carl, whose shard is Ann's, and who is deleted after her. */
    async deletedAfterAnn(): Promise<Person> {
      const carl = await newcomer(service)
      await write(carl)
      for (const { id } of [ann, carl]) await administrator.post('/api/admin/delete_user', { id })
      return carl
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

async function write(person: Person): Promise<void> {
  const feedback = { type: 'idea', content: 'Hello' }
  const { status } = await person.post('/api/submit_feedback', feedback, { 'idempotency-key': 'a key' })
  assert.equal(status, 200)
}

describe('a shard that does not respond', () => {
  it('holds up no erasure in another shard', async () => {
    await using w = await world()
    for (const { id } of [w.ann, w.ben]) await w.administrator.post('/api/admin/delete_user', { id })

    await w.whileFrozen('erasure', async () => (await w.rows(AWAY, w.ben)) === 0)

    assert.equal(await w.rows(FROZEN, w.ann), 0)
  })

  it('holds up no move between two others', async () => {
    await using w = await world()
    for (const { id } of [w.ann, w.ben]) await stoppedMove(w.service, id, 'weur-1', 'claimed')
    w.service.clock.advance({ minutes: 1 })

    await w.whileFrozen('moves', async () => (await w.rows('weur-1', w.ben)) === 1)

    assert.equal(await w.rows('weur-1', w.ann), 1)
  })

  it('does not keep used-up Idempotency-Keys in another shard', async () => {
    await using w = await world()
    w.service.clock.advance({ hours: 25 })

    await w.whileFrozen('idempotency-sweep', async () => (await w.rows(AWAY, w.ben, 'idempotency_keys')) === 0)

    assert.equal(await w.rows(FROZEN, w.ann, 'idempotency_keys'), 0)
  })
})

describe('a process that stops', () => {
  it('begins no further interrupted move', async () => {
    await using w = await world()
    await stoppedMove(w.service, w.ben.id, 'weur-1', 'claimed')
    w.service.clock.advance({ minutes: 1 })
    w.ending.abort()

    await w.service.runJob('moves')

    assert.equal(await w.rows('weur-1', w.ben), 0)
  })
})

describe('an erasure that fails', () => {
  it('holds up none after it, and is repeated', async () => {
    await using w = await world()
    const carl = await w.deletedAfterAnn()
    w.engine.failure = new Error('broken')

    await w.service.runJob('erasure')
    const after = await w.rows(FROZEN, carl)
    await w.service.runJob('erasure')

    assert.deepEqual([after, await w.rows(FROZEN, w.ann)], [0, 0])
  })

  it('always, as if its shard were away, waits for those that can be done', async () => {
    await using w = await world()
    const carl = await w.deletedAfterAnn()
    w.engine.damagedUser = w.ann.id

    await w.service.runJob('erasure')
    await w.service.runJob('erasure')

    assert.equal(await w.rows(FROZEN, carl), 0)
  })
})
