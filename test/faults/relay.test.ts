import assert from 'node:assert/strict'
import { eventsAfter } from '../../src/features/ground/events/listing.ts'
import { insertIntoOutbox, outboxRow } from '../../src/features/ground/events/outbox-statements.ts'
import { Relay } from '../../src/features/ground/events/relay/relay.ts'
import { insertEvents } from '../../src/features/ground/events/statements.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { prepare } from '../../src/serve.ts'
import type { Env } from '../processes/installation.ts'
import { ENGINES, it } from '../processes/it.ts'
import { eventRow } from '../service/event-rows.ts'
import { killAt } from './support/kill-at.ts'

it.for(ENGINES)(
  'a relay that is killed at any of its steps loses, repeats and skips nothing, on %s',
  async (engine, { program, places }) => {
    const stores = await places.on(engine)
    await program.prepare(stores)
    const { platform } = await prepare(program.config(stores))
    try {
      await survivesEachStep(platform, { DATA_DIR: program.dataDir, ...stores })
    } finally {
      await platform.close()
    }
  },
)

async function survivesEachStep(platform: Platform, env: Env): Promise<void> {
  await relayAll(platform)
  const { read, readOn } = await readerOf(platform)
  const written: string[] = []
  for (const step of ['read', 'placed', 'cleared']) {
    written.push(...(await happen(platform)))
    await killAt(step, env)
    await readOn()
    assert.equal(read.length, written.length - (step === 'read' ? 2 : 0), `killed at ${step}`)
    written.push(...(await happen(platform)))
    await relayAll(platform)
    await readOn()
    assert.deepEqual(read, written, `after ${step}`)
  }
}

async function relayAll(platform: Platform): Promise<void> {
  const relay = new Relay(platform)
  while ((await relay.turn()) === 'more');
}

/** One in the global store and one in a shard. */
async function happen({ meta, shards, now }: Platform): Promise<readonly string[]> {
  const shard = shards.get('apac-1') ?? assert.fail()
  const rows = [1, 2].map(() => eventRow({ type: 'settings.saved', user_id: null, data: {} }, now()))
  const [own = assert.fail(), theirs = assert.fail()] = rows
  await meta.batch([insertEvents(meta, own)])
  await shard.batch([insertIntoOutbox(shard, outboxRow(theirs))])
  return rows.map(({ id }) => id)
}

/** Reads on from the end of the order. */
async function readerOf(platform: Platform) {
  let { next: after } = await eventsAfter(platform, { after: 'latest', limit: 1 })
  const read: string[] = []
  return {
    read,
    async readOn() {
      const { items, next } = await eventsAfter(platform, { after, limit: 100 })
      read.push(...items.map(({ id }) => id))
      after = next
    },
  }
}
