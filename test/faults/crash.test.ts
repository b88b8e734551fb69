import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { type Config, readConfig } from '../../src/config/config.ts'
import type { Shard } from '../../src/database/store.ts'
import { closeStores, openStores, type Stores } from '../../src/database/stores.ts'
import { prepareStores } from '../../src/prepare.ts'
import { freshDatabase, schemaUrl, testServer } from '../postgres/databases.ts'
import { migratedTemplate } from '../postgres/template.ts'
import { Installation } from '../processes/installation.ts'
import { after, before, describe, it } from '../running/node-test.ts'
import { type Acknowledged, isSignedIn, liveUntilGone, nothingYet } from './support/crash-load.ts'

/** 200 in all, as the promise says; fewer while working on this. */
const crashes = Number(process.env.CRASHES ?? 200)
const embeddedCrashes = Math.ceil(crashes * 0.75)
const PEOPLE_AT_ONCE = 4
const MOST_ANSWERS_IN_A_LIFE = 40

type Env = Readonly<Record<string, string>>

/** Starts the service, loads it and kills it; the next start checks what was acknowledged, the last one all of it. */
async function crashAndCheck(times: number, program: Installation, env: Env): Promise<Acknowledged> {
  const acknowledged = nothingYet()
  for (let life = 0; life < times; life++) {
    const { child, url, output } = await program.serve(env)
    await checkSessions(url, acknowledged)
    // The moment is the point: any instant of the mixed load, while all others wait for their answers.
    let answersLeft = randomInt(MOST_ANSWERS_IN_A_LIFE)
    const answered = () => {
      if (answersLeft-- === 0) child.kill('SIGKILL')
    }
    await Promise.all(
      Array.from({ length: PEOPLE_AT_ONCE }, () => liveUntilGone(url, acknowledged, answered)),
    )
    await output
  }
  const { users, feedbacks, reads, endedSessions } = acknowledged
  for (const kind of [users, feedbacks, reads, endedSessions])
    assert.ok(kind.size > 0, 'the load did not get that far: nothing was proven')
  return acknowledged
}

async function checkSessions(url: string, { liveSessions, endedSessions }: Acknowledged): Promise<void> {
  const ended = [...endedSessions].slice(-5)
  const live = [...liveSessions.keys()].slice(-5)
  const answers = await Promise.all([...ended, ...live].map((token) => isSignedIn(url, token)))
  assert.deepEqual(answers, [...ended.map(() => false), ...live.map(() => true)])
}

async function checkStores({ meta, shards }: Stores, acknowledged: Acknowledged): Promise<void> {
  const users = await meta.selectFrom('user').select('id').execute()
  const accounts = await meta.selectFrom('account').select('user_id').execute()
  const assigned = await meta.selectFrom('user_shards').select('user_id').execute()
  const ids = users.map(({ id }) => id).toSorted()
  assert.deepEqual(accounts.map(({ user_id }) => user_id).toSorted(), ids, 'one account for each user')
  assert.deepEqual(assigned.map(({ user_id }) => user_id).toSorted(), ids, 'one shard for each user')
  assert.deepEqual(missing(acknowledged.users.keys(), ids), [], 'every acknowledged user')

  const rows = await Promise.all([...shards.values()].map(rowsOf))
  assert.deepEqual(
    missing(
      acknowledged.feedbacks,
      rows.flatMap(({ feedbacks }) => feedbacks),
    ),
    [],
    'feedback',
  )
  assert.deepEqual(
    missing(
      acknowledged.reads,
      rows.flatMap(({ reads }) => reads),
    ),
    [],
    'read marks',
  )
  for (const { balances, ledger } of rows) {
    assert.deepEqual(ledger, balances, 'each balance is the sum of its ledger')
    assert.ok(
      Object.values(balances).every((balance) => balance === REWARD),
      'no reward twice',
    )
  }
}

const REWARD = 7

async function rowsOf(shard: Shard) {
  const [feedbacks, reads, balances, entries] = await Promise.all([
    shard.selectFrom('feedbacks').select('id').execute(),
    shard.selectFrom('notification_reads').selectAll().execute(),
    shard.selectFrom('credit_balance').selectAll().execute(),
    shard.selectFrom('credit_entries').select(['user_id', 'amount']).execute(),
  ])
  const ledger: Record<string, number> = {}
  for (const { user_id, amount } of entries) ledger[user_id] = (ledger[user_id] ?? 0) + amount
  return {
    feedbacks: feedbacks.map(({ id }) => id),
    reads: reads.map(({ notification_id, user_id }) => `${notification_id} ${user_id}`),
    balances: Object.fromEntries(balances.map(({ user_id, balance }) => [user_id, balance])),
    ledger,
  }
}

function missing(expected: Iterable<string>, found: readonly string[]): readonly string[] {
  const there = new Set(found)
  return [...expected].filter((one) => !there.has(one))
}

/** With cheap passwords and a reward for signing up, so that credits are at stake too. */
async function prepareCheaply(config: Config): Promise<void> {
  const stores = await openStores(config)
  await prepareStores(config, stores, Date.now, 1)
  await stores.meta
    .updateTable('settings')
    .set({ credits: JSON.stringify({ signup_reward_enabled: true, signup_reward_amount: REWARD }) })
    .execute()
  await closeStores(stores)
}

// Both engines at once: one after the other, they come near the time limit of a file where starting a process is slow.
describe('a process that is killed at any moment', { concurrency: true }, () => {
  it(`loses nothing that was acknowledged and doubles nothing, ${embeddedCrashes} times on SQLite`, async () => {
    await using program = new Installation()
    const config = readConfig({ DATA_DIR: program.dataDir })
    await prepareCheaply(config)

    const acknowledged = await crashAndCheck(embeddedCrashes, program, {})

    const stores = await openStores(config)
    await checkStores(stores, acknowledged)
    await closeStores(stores)
  })

  describe('on PostgreSQL', () => {
    let server: Awaited<ReturnType<typeof testServer>>
    before(async () => {
      server = await testServer()
    })
    after(() => server.stop())

    it(`loses nothing that was acknowledged and doubles nothing, ${crashes - embeddedCrashes} times`, async () => {
      await using program = new Installation()
      const ids = ['apac-1', 'weur-1', 'oc-1']
      const database = await freshDatabase(server.url, await migratedTemplate(server.url, ids))
      const shards = ids.map((id) => `${id}:${id.slice(0, -2)}=${schemaUrl(database.url, id)}`)
      const env = { DATABASE_URL: database.url, SHARDS: shards.join(',') }
      const config = readConfig({ DATA_DIR: program.dataDir, ...env })
      await prepareCheaply(config)

      const acknowledged = await crashAndCheck(crashes - embeddedCrashes, program, env)

      const stores = await openStores(config)
      await checkStores(stores, acknowledged)
      await closeStores(stores)
      await database.drop()
    })
  })
})
