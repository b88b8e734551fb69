import assert from 'node:assert/strict'
import { Redis } from 'iovalkey'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { findRedisServer, startRedis, type TestRedis } from '../../../test/processes/redis.ts'
import { type FreshStores, freshStores } from '../../../test/service/stores/fresh-stores.ts'
import { readConfig } from '../../config/config.ts'
import { metaMigrations } from '../../database/migrations/meta.ts'
import { migrate } from '../../database/migrations/migrate.ts'
import { type Meta, StoreReadOnly, StoreUnavailable } from '../../database/store.ts'
import { closeStores, openStores, type Stores } from '../../database/stores.ts'
import type { Bound, KeyValue, Together } from './key-value.ts'
import { openRedisKeyValue } from './redis.ts'
import { keyValueSweep, tableKeyValue } from './table.ts'

interface Subject {
  readonly keyValue: KeyValue
  /** Another process on the same store. */
  readonly neighbour: KeyValue
  pass(seconds: number): Promise<void>
}

function keepsItsPromises(subject: () => Subject): void {
  it('setIfAbsent: the first one sets it, until its lifetime ends', async () => {
    const { keyValue, neighbour, pass } = subject()

    assert.equal(await keyValue.setIfAbsent('one', 'ann', 60), true)
    assert.equal(await neighbour.setIfAbsent('one', 'ben', 60), false)
    assert.equal((await neighbour.get('one'))?.value, 'ann')

    await pass(61)
    assert.equal(await neighbour.get('one'), undefined)
    assert.equal(await neighbour.setIfAbsent('one', 'ben', 60), true)
    assert.equal((await keyValue.get('one'))?.value, 'ben')
  })

  it('setIfAbsent: of fifty at once in two processes, exactly one sets it', async () => {
    const { keyValue, neighbour } = subject()

    const taken = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 ? keyValue : neighbour).setIfAbsent('race', `${i}`, 60)),
    )

    assert.equal(taken.filter(Boolean).length, 1)
  })

  it('get: says how many seconds are left', async () => {
    const { keyValue, pass } = subject()
    await keyValue.setIfAbsent('left', 'x', 300)

    await pass(100)
    const found = await keyValue.get('left')

    assert.ok(found && found.expiresInSeconds > 195 && found.expiresInSeconds <= 200, JSON.stringify(found))
  })

  it('delete: the key is free again, and deleting an absent one is not an error', async () => {
    const { keyValue } = subject()
    await keyValue.setIfAbsent('gone', 'x', 60)

    await keyValue.delete('gone')
    await keyValue.delete('gone')

    assert.equal(await keyValue.setIfAbsent('gone', 'y', 60), true)
  })

  it('increment: fifty at once in two processes are counted as fifty', async () => {
    const { keyValue, neighbour } = subject()

    const counts = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 ? keyValue : neighbour).increment('count', 60)),
    )

    assert.deepEqual(
      counts.toSorted((a, b) => a - b),
      Array.from({ length: 50 }, (_, i) => i + 1),
    )
  })

  it('increment: the lifetime starts with the first and is not extended', async () => {
    const { keyValue, pass } = subject()

    assert.equal(await keyValue.increment('window', 60), 1)
    await pass(40)
    assert.equal(await keyValue.increment('window', 60, 5), 6)
    await pass(21)
    assert.equal(await keyValue.increment('window', 60, 3), 3)
    await pass(61)
    assert.equal(await keyValue.increment('window', 60), 1)
  })

  it('together: reads first, and then writes in order, each only while its counts are below their bounds', async () => {
    const { keyValue, neighbour, pass } = subject()
    const counted = (key: string, ...bounds: readonly Bound[]) => ({ key, add: 1, lifetimeSeconds: 60, while: bounds })
    await keyValue.setIfAbsent('text', 'not a count', 60)
    const writes = [
      counted('first'),
      counted('second', { key: 'first', below: 2 }),
      { key: 'third', value: 'x', lifetimeSeconds: 60, while: [{ key: 'second', below: 2 }] },
    ]

    const once = await keyValue.together(['first', 'text'], writes)
    const twice = await neighbour.together(['first', 'second', 'third', 'none'], writes)
    await pass(61)
    const later = await keyValue.together(['first'], writes)

    const valuesOf = ({ found, written }: Together) => [
      [...found].map(([key, { value }]) => [key, value]).toSorted(),
      written.map((entry) => entry?.value),
    ]
    assert.deepEqual(valuesOf(once), [[['text', 'not a count']], ['1', '1', 'x']])
    const found = [
      ['first', '1'],
      ['second', '1'],
      ['third', 'x'],
    ]
    assert.deepEqual(valuesOf(twice), [found, ['2', undefined, undefined]])
    assert.deepEqual(valuesOf(later), [[], ['1', '1', 'x']])
    assert.ok(later.written.every((entry) => entry && entry.expiresInSeconds > 55 && entry.expiresInSeconds <= 60))
  })

  it('together: of fifty at once in two processes, no more are counted than the bound allows', async () => {
    const { keyValue, neighbour } = subject()
    const few = { key: 'few', add: 1, lifetimeSeconds: 60, while: [{ key: 'few', below: 5 }] }
    const others = ['a', 'b'].map((key) => ({ key, add: 1, lifetimeSeconds: 60 }))

    const all = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 ? keyValue : neighbour).together([], [...others, few])),
    )

    assert.deepEqual(
      [await keyValue.get('a'), await keyValue.get('b')].map((entry) => entry?.value),
      ['50', '50'],
    )
    assert.equal(all.filter(({ written }) => written[2]).length, 5)
  })

  it('ping: answers', () => subject().keyValue.ping())
}

describe('key-value store: a table of the global store', () => {
  let fresh: FreshStores
  let meta: Meta
  let stores: Stores
  let now = 1_800_000_000_000
  let subject: Subject
  beforeAll(async () => {
    fresh = await freshStores(readConfig({}))
    stores = await openStores(fresh.config)
    meta = stores.meta
    await migrate(meta, metaMigrations, now)
    const open = () => tableKeyValue(meta, () => now)
    const pass = async (seconds: number) => {
      now += seconds * 1000
    }
    subject = { keyValue: open(), neighbour: open(), pass }
  })
  afterAll(async () => {
    await closeStores(stores)
    await fresh.drop()
  })

  keepsItsPromises(() => subject)

  it('the sweep removes what has expired and nothing else', async () => {
    await subject.keyValue.setIfAbsent('old', 'x', 60)
    await subject.pass(61)
    await subject.keyValue.setIfAbsent('new', 'x', 60)

    await keyValueSweep(meta, () => now).run()

    const rows = await meta.selectFrom('key_value').select('key').where('key', 'in', ['old', 'new']).execute()
    assert.deepEqual(rows, [{ key: 'new' }])
  })
})

const server = findRedisServer()

describe.skipIf(!server)('key-value store: Redis (needs redis-server or valkey-server)', () => {
  let redis: TestRedis
  let subject: Subject
  let clock: Redis
  beforeAll(async () => {
    redis = await startRedis(server ?? '')
    clock = new Redis(redis.url)
    subject = {
      keyValue: await openRedisKeyValue(redis.url),
      neighbour: await openRedisKeyValue(redis.url),
      pass: (seconds) => shorten(clock, seconds),
    }
  })
  afterAll(async () => {
    clock.disconnect()
    await subject.keyValue.close()
    await subject.neighbour.close()
    await redis.stop()
  })

  keepsItsPromises(() => subject)

  const its = it.extend<{ readonly own: TestRedis; readonly keyValue: KeyValue }>({
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
    own: async ({}, use) => {
      const own = await startRedis(server ?? '')
      await use(own)
      await own.stop()
    },
    keyValue: async ({ own }, use) => {
      const keyValue = await openRedisKeyValue(own.url)
      await use(keyValue)
      await keyValue.close()
    },
  })

  its(
    'a server that is down is STORE_UNAVAILABLE at once and reported, and is used again when it is up',
    async ({ own, keyValue }) => {
      const failures: Error[] = []
      keyValue.server?.failures.on('failed', (error) => failures.push(error))
      await own.kill()
      await assert.rejects(keyValue.setIfAbsent('away', 'x', 60), StoreUnavailable)
      await own.start()
      await answersAgain(keyValue)

      assert.equal(await keyValue.setIfAbsent('away', 'x', 60), true)
      assert.ok(failures.length > 0)
      assert.ok(failures.every((error) => error instanceof StoreUnavailable))
      assert.equal(keyValue.server?.at, new URL(own.url).host)
    },
  )

  its.for([
    ['replica', 'replicaof', '127.0.0.1', '1'],
    ['full', 'config', 'set', 'maxmemory', '1'],
  ] as const)(
    'ping: a server that refuses writes (%s) is read-only, and a ping changes nothing',
    async ([, name, ...rest], { own, keyValue }) => {
      const operator = new Redis(own.url)
      await keyValue.ping()
      assert.equal(await operator.dbsize(), 0)
      await operator.call(name, ...rest)
      operator.disconnect()

      await assert.rejects(keyValue.ping(), StoreReadOnly)
    },
  )

  it('a server that cannot be reached at the start is STORE_UNAVAILABLE for each command, with the reason', async () => {
    const keyValue = await openRedisKeyValue('redis://127.0.0.1:1')

    await assert.rejects(keyValue.ping(), (error) => {
      assert.ok(error instanceof StoreUnavailable)
      assert.match(String(error.cause), /ECONNREFUSED/)
      return true
    })
    await keyValue.close()
  })
})

/** Lets time pass: each key expires that much sooner. */
async function shorten(redis: Redis, seconds: number): Promise<void> {
  for (const key of await redis.keys('*')) await redis.pexpire(key, (await redis.pttl(key)) - seconds * 1000)
}

async function answersAgain(keyValue: KeyValue): Promise<void> {
  for (;;) {
    const error = await keyValue.ping().catch((reason: unknown) => reason)
    if (error === undefined) return
    await new Promise(setImmediate)
  }
}
