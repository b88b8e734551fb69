import assert from 'node:assert/strict'
import type { CompiledQuery } from 'kysely'
import { describe } from 'vitest'
import { WrappedEngine } from '../../../../test/interleavings/engines/wrapped-engine.ts'
import type { Options, Service } from '../../../../test/service/service.ts'
import { it } from '../../../../test/service/webhooks.ts'
import { isPostgres, type ShardAddress } from '../../../config/shards.ts'
import { PostgresEngine } from '../../../database/postgres/engine.ts'
import type { ShardTables } from '../../../database/schema/tables.ts'
import { SqliteEngine } from '../../../database/sqlite/engine.ts'
import { Store, StoreUnavailable } from '../../../database/store.ts'
import { openStores } from '../../../database/stores.ts'
import { noteBackup } from './backups.ts'

const SHARD = 'apac-1'

/** A shard that can fail. */
class MortalEngine extends WrappedEngine {
  readonly #fate: Fate

  constructor({ id, url }: ShardAddress, fate: Fate) {
    super(isPostgres(url) ? new PostgresEngine(id, { url }) : new SqliteEngine(id, url))
    this.#fate = fate
  }

  protected override async around<T>(_: readonly CompiledQuery[], send: () => Promise<T>): Promise<T> {
    if (this.#fate.isDown) throw new StoreUnavailable(this.name)
    return send()
  }

  override ping(): Promise<void> {
    return this.around([], () => super.ping())
  }
}

interface Fate {
  isDown: boolean
}

const itCanFail = it.extend<{ readonly fate: Fate; readonly options: Options }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  fate: async ({}, use) => use({ isDown: false }),
  options: async ({ fate }, use) =>
    use({
      async open(config) {
        const others = config.shards.filter(({ id }) => id !== SHARD)
        const mortal = config.shards.find(({ id }) => id === SHARD) ?? assert.fail()
        const { meta, shards } = await openStores({ ...config, shards: others })
        const shard = new Store<ShardTables>(new MortalEngine(mortal, fate))
        return { meta, shards: new Map([...shards, [SHARD, shard]]) }
      },
    }),
})

async function figureOf({ platform }: Service, series: string): Promise<number | undefined> {
  const lines = (await platform.metrics.text()).split('\n')
  const line = lines.find((one) => one.startsWith(`gatehouse_${series} `))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

describe('/metrics', () => {
  itCanFail('has the state and the failures of each part by its name in /readyz', async ({ service, fate }) => {
    const { shards, keyValue } = service.platform
    const names = ['meta', ...shards.keys(), 'key-value']
    const states = () => Promise.all(names.map((store) => figureOf(service, `store_up{store="${store}"}`)))
    const errors = () => figureOf(service, `store_errors_total{store="${SHARD}"}`)
    const before = [await states(), await errors()]

    fate.isDown = true
    Object.assign(keyValue, { ping: () => Promise.reject(new StoreUnavailable('key-value')) })
    const during = await states()

    assert.deepEqual(before, [names.map(() => 1), 0])
    assert.deepEqual(
      during,
      names.map((name) => Number(name !== SHARD && name !== 'key-value')),
    )
    assert.ok(Number(await errors()) > 0)
  })

  it('has how much waits, and for how long: events, deliveries of each webhook, mails', async ({
    service,
    webhooks,
    product,
  }) => {
    product.behaviour.answer = (_, response) => response.writeHead(500).end()
    const { id } = await webhooks.add(product.url)
    const off = await webhooks.add(product.url)
    await webhooks.update(off.id, { enabled: false })
    await service.runJob('events')
    const figures = (name: string) =>
      Promise.all([`${name}_waiting`, `${name}_oldest_seconds`].map((series) => figureOf(service, series)))
    const ofWebhook = () =>
      Promise.all(
        ['waiting', 'oldest_seconds'].map((series) => figureOf(service, `webhook_${series}{webhook="${id}"}`)),
      )
    const none = [await figures('events'), await ofWebhook()]

    await webhooks.publish('one')
    service.clock.advance({ seconds: 90 })
    const unordered = await figures('events')
    await webhooks.handOver()
    const ordered = [await figures('events'), await ofWebhook()]
    await service.runJob('webhooks')
    service.clock.advance({ seconds: 30 })

    assert.deepEqual(none, [
      [0, 0],
      [0, 0],
    ])
    assert.deepEqual(unordered, [1, 90])
    assert.deepEqual(ordered, [
      [0, 0],
      [1, 90],
    ])
    assert.deepEqual(await ofWebhook(), [1, 30])
    assert.equal(await figureOf(service, `webhook_waiting{webhook="${off.id}"}`), undefined)
    assert.equal(await figureOf(service, 'mail_waiting'), 0)
  })

  it('has the clock offset of each store, and the log warns if it is too large', async ({ service }) => {
    const offsetAt = async (minutes: number) => {
      service.clock.advance({ minutes, milliseconds: Date.now() - service.clock.now() })
      await service.runJob('stores')
      return (await figureOf(service, 'clock_offset_seconds{store="meta"}')) ?? Number.NaN
    }

    const right = await offsetAt(0)
    const ahead = await offsetAt(3)
    await offsetAt(0)
    await offsetAt(-3)

    assert.ok(Math.abs(right) < 2, `${right}`)
    assert.ok(Math.abs(ahead - 180) < 2, `${ahead}`)
    const lines = service.log.lines.filter(({ message, fields }) => /clock/.test(message) && fields.store === 'meta')
    assert.deepEqual(
      lines.map(({ level, fields }) => [level, /1[78]\d s (ahead|behind)/.exec(String(fields.error))?.[1]]),
      [
        ['warn', 'ahead'],
        ['info', undefined],
        ['warn', 'behind'],
      ],
    )
  })

  it('has the connections of each server, and no state of a replica that was not tried or is the primary', async ({
    service,
  }) => {
    const { meta, shards } = service.platform
    const report = { at: '10.0.0.6:5432', behindBytes: undefined, stateMilliseconds: 1_500 }
    const states = ['untried', 'primary', 'serving', 'lagging', 'unreachable', 'foreign'] as const
    const serving: (number | undefined)[] = []

    for (const state of states) {
      Object.assign(meta, { replicas: () => [{ ...report, state }] })
      serving.push(await figureOf(service, 'replica_serving{store="meta",replica="10.0.0.6:5432"}'))
    }

    assert.equal(await figureOf(service, 'replica_state_seconds{store="meta",replica="10.0.0.6:5432"}'), 1.5)
    assert.deepEqual(serving, [Number.NaN, Number.NaN, 1, 0, 0, 0])
    for (const store of [meta, ...shards.values()]) {
      const count = (state: string) => figureOf(service, `pool_connections{store="${store.name}",state="${state}"}`)
      const isServer = store.connections() !== undefined
      for (const state of ['idle', 'busy', 'waiting']) assert.equal(Number.isInteger(await count(state)), isServer)
    }
  })

  itCanFail('has for how long each part has been in its state', async ({ service, fate }) => {
    const seconds = () => figureOf(service, `store_state_seconds{store="${SHARD}"}`)

    const first = await seconds()
    service.clock.advance({ seconds: 40 })
    const later = await seconds()
    fate.isDown = true
    const changed = await seconds()
    service.clock.advance({ seconds: 7 })

    assert.deepEqual([first, later, changed, await seconds()], [0, 40, 0, 7])
  })

  it('has when settings and schema last changed, and the last backup', async ({ service, administrator }) => {
    const changed = (what: string) => figureOf(service, `changed_timestamp_seconds{what="${what}"}`)
    const backup = () => figureOf(service, 'backup_last_success_timestamp_seconds')
    const schema = await changed('schema')
    const none = await backup()

    service.clock.advance({ seconds: 90 })
    await administrator.saveSettings('credits', { signup_reward_amount: 3 })
    await noteBackup(service.platform.meta, service.clock.now())

    const now = Math.round(service.clock.now() / 1000)
    assert.deepEqual([await changed('settings'), none, await backup()], [now, 0, now])
    assert.equal(await changed('schema'), schema)
    assert.ok(Number(schema) <= now - 90)
  })

  itCanFail('leaves out what only a store that is down knows, and keeps the rest', async ({ service, fate }) => {
    fate.isDown = true

    const waiting = await figureOf(service, 'events_waiting')

    assert.ok(Number(waiting) >= 0)
  })
})

describe('the log', () => {
  itCanFail(
    'has one error for a store that is down, and none for the requests refused because of it',
    async ({ service, fate, ann }) => {
      fate.isDown = true

      const answers = []
      for (let i = 0; i < 3; i++)
        answers.push(await ann.post('/api/submit_feedback', { type: 'idea', content: 'More' }))

      assert.deepEqual(
        answers.map(({ status, body }) => [status, body.code]),
        Array(3).fill([503, 'STORE_UNAVAILABLE']),
      )
      const lines = service.log.lines.filter(({ level }) => level === 'error' || level === 'warn')
      assert.deepEqual(
        lines.map(({ level, fields }) => [level, fields.store]),
        [['error', SHARD]],
      )
      service.platform.refusals.flush()
      const refused = service.log.lines.filter(({ level, message }) => level === 'info' && message === 'refused')
      assert.deepEqual(
        refused.map(({ fields }) => fields),
        [{ code: 'STORE_UNAVAILABLE', network: 'this-machine', count: 3 }],
      )
    },
  )
})
