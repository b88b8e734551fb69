import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { untilSo } from '../../../test/faults/support/replicated.ts'
import { wireTo } from '../../../test/faults/support/wire.ts'
import { command } from '../../../test/postgres/databases.ts'
import { it as onServer } from '../../../test/service/databases.ts'
import { MemoryLog } from '../../../test/service/fakes/memory-log.ts'
import { PostgresEngine } from '../../database/postgres/engine.ts'
import type { MetaTables } from '../../database/schema/tables.ts'
import { Store } from '../../database/store.ts'
import { PostgresSignals } from './postgres.ts'

const POLLS_SELDOM = 1_000

interface Fixtures {
  readonly ours: Awaited<ReturnType<typeof startProcess>>
  readonly other: Awaited<ReturnType<typeof startProcess>>
}

const it = onServer.extend<Fixtures>({
  ours: async ({ database }, use) => {
    await using ours = await startProcess(database.url)
    await use(ours)
  },
  other: async ({ database }, use) => {
    await using other = await startProcess(database.url)
    await use(other)
  },
})

/** The signals of one process, and how often it has received the topic. */
async function startProcess(storeUrl: string, url = storeUrl) {
  const log = new MemoryLog()
  const meta = new Store<MetaTables>(new PostgresEngine('meta', { url: storeUrl, connections: 1 }))
  const signals = new PostgresSignals(url, meta, log)
  let count = 0
  signals.onSignal('topic', () => {
    count++
  })
  await listens(signals)
  return {
    signals,
    losses: () => log.lines.filter(({ message }) => message.startsWith('signals from other')).length,
    heard: () => count,
    async [Symbol.asyncDispose]() {
      await signals.close()
      await meta.close()
    },
  }
}

function listens(signals: PostgresSignals): Promise<void> {
  return untilSo('it listens', async () => signals.pollMilliseconds === POLLS_SELDOM)
}

describe('signals through PostgreSQL', () => {
  it('reach the other processes', async ({ ours, other }) => {
    const before = other.heard()

    ours.signals.send('another topic')
    ours.signals.send('topic')
    await untilSo('the other process hears', async () => other.heard() > before)

    assert.equal(other.heard(), before + 1)
  })

  it('of one moment are combined into one more after the one that is under way', async ({ ours, other }) => {
    const before = other.heard()

    for (let i = 0; i < 100; i++) ours.signals.send('topic')
    await untilSo('the other process hears twice', async () => other.heard() === before + 2)
    ours.signals.send('topic')
    await untilSo('the other process hears the last', async () => other.heard() > before + 2)

    assert.equal(other.heard(), before + 3)
  })

  it('are received again after the connection was lost', async ({ database, ours, other }) => {
    const before = other.heard()

    await command(
      database.url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'gatehouse-signals'`,
    )
    await untilSo('both notice', async () => ours.losses() + other.losses() === 2)
    await listens(other.signals)
    const whenOpened = other.heard()
    ours.signals.send('topic')
    await untilSo('the other process hears again', async () => other.heard() > whenOpened)

    assert.equal(whenOpened, before + 1, 'what it may have missed counts as one signal')
  })

  it('notice that the network has silently cut the connection', async ({ server, database }) => {
    await using wire = await wireTo(Number(new URL(server).port))
    await using cut = await startProcess(database.url, wire.through(database.url))

    wire.silence()
    await untilSo('the loss is noticed', async () => cut.losses() === 1)

    assert.equal(cut.signals.pollMilliseconds, 250)
  })
})
