import assert from 'node:assert/strict'
import type { KyselyPlugin } from 'kysely'
import { describe } from 'vitest'
import { untilSo } from '../../../../../test/faults/support/replicated.ts'
import { eventRow } from '../../../../../test/service/event-rows.ts'
import { it } from '../../../../../test/service/it.ts'
import type { Service } from '../../../../../test/service/service.ts'
import type { Meta, Shard } from '../../../../database/store.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { eventsAfter } from '../listing.ts'
import { insertIntoOutbox, outboxRow } from '../outbox-statements.ts'
import { insertEvents, type NewRow } from '../statements.ts'
import { Relay, relayJob } from './relay.ts'

const SHARD = 'apac-1'

/** Acts once, after `count` statements have been read. */
function afterReads(count: number, act: () => Promise<unknown>): KyselyPlugin {
  let left = count
  return {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (--left === 0) await act()
      return result
    },
  }
}

function instead<Store extends object>(store: Store, parts: object): Store {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(name in parts ? parts : target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** The service's platform, in which the act comes after the first read of a shard or of events without a place. */
function actingBetween({ platform }: Service, act: () => Promise<unknown>): Platform {
  const { meta, shards } = platform
  let acted: Promise<unknown> | undefined
  const once = () => {
    acted ??= act()
    return acted
  }
  const shard = shards.get(SHARD) ?? assert.fail()
  // The first statement of the relay reads the end of the order.
  const readMeta = instead(meta, { primary: meta.primary.withPlugin(afterReads(2, once)) })
  const readShard = instead(shard, { primary: shard.primary.withPlugin(afterReads(1, once)) })
  return { ...platform, meta: readMeta, shards: new Map([...shards, [SHARD, readShard]]) }
}

function newRow({ platform }: Service, name: string): NewRow {
  return eventRow({ type: 'settings.saved', user_id: null, data: { name } }, platform.now())
}

async function writeGlobally(service: Service, ...rows: readonly NewRow[]): Promise<void> {
  const { meta } = service.platform
  await meta.batch(rows.map((row) => insertEvents(meta, row)))
}

async function writeInShard(service: Service, row: NewRow): Promise<void> {
  const shard = service.platform.shards.get(SHARD) ?? assert.fail()
  await shard.batch([insertIntoOutbox(shard, outboxRow(row))])
}

async function inOrder({ platform }: Service): Promise<readonly unknown[]> {
  const { items } = await eventsAfter(platform, { types: ['settings.saved'], limit: 2_000 })
  return items.flatMap(({ data }) => (data.name === undefined ? [] : [data.name]))
}

describe('what happens between two reads', () => {
  for (const count of [1, 2])
    it(`of a reader, after the ${count === 1 ? 'first' : 'second'}, is not skipped`, async ({ service }) => {
      await service.runJob('events')
      const { next: after } = await eventsAfter(service.platform, { after: 'latest', limit: 1 })
      const { meta } = service.platform
      let left = count
      const snapshot = async (...read: Parameters<Meta['snapshot']>) => {
        const rows = await meta.snapshot(...read)
        if (--left !== 0) return rows
        await writeGlobally(service, newRow(service, 'late'))
        await service.runJob('events')
        return rows
      }
      // As many as a reader takes at once.
      const early = Array.from({ length: 50 }, (_, i) => `early ${i}`)
      await writeGlobally(service, ...early.map((name) => newRow(service, name)))
      await service.runJob('events')

      const first = await eventsAfter({ ...service.platform, meta: instead(meta, { snapshot }) }, { after, limit: 100 })
      const second = await eventsAfter(service.platform, { after: first.next, limit: 100 })

      const names = [...first.items, ...second.items].map(({ data }) => data.name)
      assert.deepEqual(names.toSorted(), [...early, 'late'].toSorted())
      assert.equal(names.at(-1), 'late')
      assert.equal(second.items.length, count - 1)
    })

  for (const [cause, effect, milliseconds, writeCause, writeEffect] of [
    ['the global store', 'a shard', 0, writeGlobally, writeInShard],
    ['a shard', 'the global store', 1, writeInShard, writeGlobally],
  ] as const)
    it(`of a relay keeps a cause in ${cause} before its effect in ${effect}`, async ({ service }) => {
      await service.runJob('events')
      const happen = async () => {
        service.clock.advance({ milliseconds })
        await writeCause(service, newRow(service, 'cause'))
        service.clock.advance({ milliseconds })
        await writeEffect(service, newRow(service, 'effect'))
      }

      await new Relay(actingBetween(service, happen)).turn()
      await service.runJob('events')

      assert.deepEqual(await inOrder(service), ['cause', 'effect'])
    })
})

describe('a relay that reads only a part of what waits in one store', () => {
  it('keeps a cause there before its effect in another', async ({ service }) => {
    await service.runJob('events')
    const others = Array.from({ length: 1_000 }, () => ({ ...newRow(service, ''), data: '{}' }))
    service.clock.advance({ milliseconds: 1 })
    await writeGlobally(service, ...others, newRow(service, 'cause'))
    service.clock.advance({ milliseconds: 1 })
    await writeInShard(service, newRow(service, 'effect'))

    await service.runJob('events')

    assert.deepEqual(await inOrder(service), ['cause', 'effect'])
  })
})

describe('a shard that does not respond', () => {
  const requests = {
    'to a read': (shard: Shard, plugin: KyselyPlugin) => ({ primary: shard.primary.withPlugin(plugin) }),
    'to a deletion': (shard: Shard, plugin: KyselyPlugin) => {
      const slow = shard.withPlugin(plugin)
      return { deleteFrom: slow.deleteFrom.bind(slow) }
    },
  }
  for (const [what, partsOf] of Object.entries(requests))
    it(`${what} does not hold up the events of the other stores, and its own come later, once`, async ({ service }) => {
      await service.runJob('events')
      const { shards } = service.platform
      const response = Promise.withResolvers<void>()
      const shard = shards.get(SHARD) ?? assert.fail()
      const silent = instead(
        shard,
        partsOf(
          shard,
          afterReads(1, () => response.promise),
        ),
      )
      await writeInShard(service, newRow(service, 'in the shard'))

      const running = relayJob({ ...service.platform, shards: new Map([...shards, [SHARD, silent]]) }).run()
      try {
        for (const name of ['first', 'second']) {
          await writeGlobally(service, newRow(service, name))
          await untilSo(`${name} has its place`, async () => (await inOrder(service)).includes(name))
        }
      } finally {
        response.resolve()
      }
      await running

      assert.deepEqual((await inOrder(service)).toSorted(), ['first', 'in the shard', 'second'])
      assert.deepEqual(await shard.primary.selectFrom('event_outbox').select('id').execute(), [])
    })
})

describe('a shard that cannot be read or written', () => {
  for (const [what, part] of [
    ['keeps a thousand events', 'deleteFrom'],
    ['has no readable ones', 'primary'],
  ] as const)
    it(`does not hold up the events of the other stores while it ${what}`, async ({ service }) => {
      const { shards } = service.platform
      await service.runJob('events')
      const shard = shards.get(SHARD) ?? assert.fail()
      const old = Array.from({ length: 1_000 }, () => outboxRow({ ...newRow(service, ''), data: '{}' }))
      await shard.batch(old.map((row) => insertIntoOutbox(shard, row)))
      let isBroken = true
      const broken = new Proxy(shard, {
        get(target, name) {
          if (isBroken && name === part) throw new Error('it is broken')
          const value = Reflect.get(target, name)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
      const job = relayJob({ ...service.platform, shards: new Map([...shards, [SHARD, broken]]) })

      service.clock.advance({ minutes: 1 })
      await writeGlobally(service, newRow(service, 'later'))
      for (let turn = 0; turn < 3; turn++) await job.run().catch(() => undefined)
      const whileBroken = await inOrder(service)
      isBroken = false
      await writeInShard(service, newRow(service, 'at last'))
      await job.run()

      assert.deepEqual(whileBroken, ['later'])
      assert.deepEqual(await inOrder(service), ['later', 'at last'])
      assert.deepEqual(await shard.primary.selectFrom('event_outbox').select('id').execute(), [])
      const { items } = await eventsAfter(service.platform, { types: ['settings.saved'], limit: 2_000 })
      assert.equal(items.length, 1_002)
    })
})

describe('a relay that cannot write', () => {
  it('leaves what it has read in the shard', async ({ service }) => {
    const { meta } = service.platform
    await service.runJob('events')
    await writeInShard(service, newRow(service, 'kept'))
    const broken = instead(meta, { decide: () => Promise.reject(new Error('the store is away')) })

    await assert.rejects(new Relay({ ...service.platform, meta: broken }).turn(), /the store is away/)
    await service.runJob('events')

    assert.deepEqual(await inOrder(service), ['kept'])
  })
})
