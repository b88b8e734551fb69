import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe } from 'vitest'
import type { Shard } from '../../src/database/store.ts'
import type { Stores } from '../../src/database/stores.ts'
import type { Env, Installation } from '../processes/installation.ts'
import { it } from '../processes/it.ts'
import { type Acknowledged, isSignedIn, liveUntilGone, nothingYet } from './support/crash-load.ts'

/** 200 in all, as the promise says; fewer while working on this. */
const crashes = Number(process.env.CRASHES ?? 200)
const embeddedCrashes = Math.ceil(crashes * 0.75)
const PEOPLE_AT_ONCE = 4
const MOST_ANSWERS_IN_A_LIFE = 40
const REWARD = 7

// Both engines at once: one after the other, they come near the time limit of a file where starting a process is slow.
describe.concurrent('a process that is killed at any moment', () => {
  it.for([
    ['SQLite', embeddedCrashes],
    ['PostgreSQL', crashes - embeddedCrashes],
  ] as const)(
    'loses nothing that was acknowledged and doubles nothing, on %s %i times',
    async ([engine, times], { program, places }) => {
      const env = await places.on(engine, 'apac-1', 'weur-1', 'oc-1')
      // A reward, so that credits are at stake too.
      await program.prepare(env, { credits: { signup_reward_enabled: true, signup_reward_amount: REWARD } })

      const acknowledged = await crashAndCheck(times, program, env)

      await using stores = await program.openStores(env)
      await checkStores(stores, acknowledged)
    },
  )
})

/** Starts the service, loads it and kills it; the next start checks what was acknowledged, the last one all of it. */
async function crashAndCheck(times: number, program: Installation, env: Env): Promise<Acknowledged> {
  const acknowledged = nothingYet()
  for (let i = 0; i < times; i++) {
    const life = await program.serve(env)
    await checkSessions(life.url, acknowledged)
    // The moment is the point: any instant of the mixed load, while all others wait for their answers.
    let answersLeft = randomInt(MOST_ANSWERS_IN_A_LIFE)
    const answered = () => {
      if (answersLeft-- === 0) life.child.kill('SIGKILL')
    }
    const people = Array.from({ length: PEOPLE_AT_ONCE }, () =>
      liveUntilGone(life.url, acknowledged, answered),
    )
    await Promise.all(people)
    await life.output
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

  const rows = await Promise.all([...shards.values()].map(rowsOf))
  const kept = {
    users: ids,
    feedbacks: rows.flatMap((one) => one.feedbacks),
    reads: rows.flatMap((one) => one.reads),
  }
  for (const kind of ['users', 'feedbacks', 'reads'] as const) {
    const there = new Set(kept[kind])
    const lost = [...acknowledged[kind]].filter((id) => !there.has(id))
    assert.deepEqual(lost, [], `every acknowledged one of ${kind}`)
  }
  for (const { balances, ledger } of rows) {
    assert.deepEqual(ledger, balances, 'each balance is the sum of its ledger')
    assert.ok(
      Object.values(balances).every((balance) => balance === REWARD),
      'no reward twice',
    )
  }
}

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
