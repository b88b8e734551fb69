import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { readConfig } from '../../src/config/config.ts'
import { closeStores, openStores } from '../../src/database/stores.ts'
import { defaultSettings } from '../../src/features/settings/defaults.ts'
import { prepareStores } from '../../src/prepare.ts'
import { freshDatabase, schemaUrl, testServer } from '../postgres/databases.ts'
import { migratedTemplate } from '../postgres/template.ts'
import { Installation } from '../processes/installation.ts'
import { after, before, describe, it } from '../running/node-test.ts'
import { send, Visitor } from '../service/wire/visitor.ts'
import { interfere } from './support/strace.ts'
import { wireTo } from './support/wire.ts'

type Env = Readonly<Record<string, string>>
type Life = Awaited<ReturnType<Installation['serve']>>

const SHARD = 'apac-1'
const REWARD = 7
const BETWEEN = { stores: [SHARD], injection: 'pwrite64:error=EIO:signal=KILL' }
/** Each flush, and now and then a write. */
const ANYWHERE = [
  ...[1, 2, 3].map((nth) => `fsync,fdatasync:error=EIO:signal=KILL:when=${nth}`),
  ...[1, 8, 22, 36, 43].map((nth) => `pwrite64:error=EIO:signal=KILL:when=${nth}`),
].map((injection) => ({ stores: ['meta', SHARD], injection }))

describe('a process that is killed while somebody signs up', () => {
  it('SQLite, between the global commit and the shard: the account is there, and made whole', async (t) => {
    await using program = new Installation()
    const env = { DATA_DIR: program.dataDir }
    await prepareWithReward(env)

    const life = await program.serve()
    await administratorSettled(env)
    const met = await killedWhileSigningUp(life, env, 'ann@example.com', BETWEEN)
    if (!met) return t.skip('no strace here, or nobody may trace a process')

    assert.equal(met.status, undefined, 'nobody was killed')
    assert.deepEqual(await rowsOf(env, 'ann@example.com'), HALF_WAY)
    const { url } = await program.serve()
    assert.equal(await signedUpOrIn(url, 'ann@example.com'), 'signed in')
    assert.deepEqual(await rowsOf(env, 'ann@example.com'), WHOLE)
  })

  it('SQLite, at any write to the disk: the account is whole or absent, and its owner gets in', async (t) => {
    await using program = new Installation()
    const env = { DATA_DIR: program.dataDir }
    await prepareWithReward(env)
    const entered = new Set<string>()
    let life = await program.serve()

    for (const [i, aim] of ANYWHERE.entries()) {
      const email = `person-${i}@example.com`
      const met = await killedWhileSigningUp(life, env, email, aim)
      if (!met) return t.skip('no strace here, or nobody may trace a process')

      const found = await rowsOf(env, email)
      assert.ok(
        [ABSENT, HALF_WAY, WHOLE].some((state) => isSame(state, found)),
        `${aim.injection}: ${found}`,
      )
      life = await program.serve()
      entered.add(await signedUpOrIn(life.url, email))
      assert.deepEqual(await rowsOf(env, email), WHOLE, aim.injection)
    }

    assert.deepEqual(entered, new Set(['signed up', 'signed in']))
  })

  describe('PostgreSQL', () => {
    let server: Awaited<ReturnType<typeof testServer>>
    before(async () => {
      server = await testServer()
    })
    after(() => server.stop())

    it('between the global commit and the shard: the account is there, and made whole', async () => {
      await using program = new Installation()
      const database = await freshDatabase(server.url, await migratedTemplate(server.url, [SHARD]))
      await using wire = await wireTo(Number(new URL(database.url).port))
      const shard = schemaUrl(database.url, SHARD)
      const env = { DATABASE_URL: database.url, SHARDS: `${SHARD}:apac=${shard}` }
      await prepareWithReward({ DATA_DIR: program.dataDir, ...env })
      const first = await program.serve({ ...env, SHARDS: `${SHARD}:apac=${wire.through(shard)}` })

      await administratorSettled({ DATA_DIR: program.dataDir, ...env })
      // The state in which the batch enters the new resident; nothing else that is sent holds the word.
      const reached = wire.swallowed('open')
      const answer = signUp(first.url, 'ann@example.com').catch(() => undefined)
      await reached
      first.child.kill('SIGKILL')

      assert.equal(await answer, undefined)
      await first.output
      const all = { DATA_DIR: program.dataDir, ...env }
      assert.deepEqual(await rowsOf(all, 'ann@example.com'), HALF_WAY)
      const { url, child, output } = await program.serve(env)
      assert.equal(await signedUpOrIn(url, 'ann@example.com'), 'signed in')
      assert.deepEqual(await rowsOf(all, 'ann@example.com'), WHOLE)
      child.kill('SIGTERM')
      await output
      await database.drop()
    })
  })
})

const PASSWORD = 'a long walk in the rain'

function signUp(url: string, email: string) {
  return send(`${url}/api/auth/sign-up/email`, { email, name: email, password: PASSWORD })
}

/** What the user saw: no status if the process ended before it responded. */
async function killedWhileSigningUp(
  { child, url, output }: Life,
  { DATA_DIR }: { readonly DATA_DIR: string },
  email: string,
  { stores, injection }: typeof BETWEEN,
): Promise<{ readonly status: number | undefined } | undefined> {
  const interference = await interfere(child, { folder: DATA_DIR, names: stores }, injection)
  if (!interference) return undefined
  const answer = await signUp(url, email).catch(() => undefined)
  await interference.drop()
  child.kill('SIGKILL')
  await output
  return { status: answer?.status }
}

/** As a user would: signs up again, signs in if the address is taken, and reads the balance twice. */
async function signedUpOrIn(url: string, email: string): Promise<'signed up' | 'signed in'> {
  const { status } = await signUp(url, email)
  assert.ok(status === 200 || status === 422, String(status))
  const person = await Visitor.signedIn(url, email)
  for (const _ of [1, 2])
    assert.deepEqual((await person.post('/api/get_credit_summary')).body, { balance: REWARD })
  assert.equal((await person.post('/api/submit_feedback', { type: 'idea', content: 'Hello' })).status, 200)
  assert.equal((await signUp(url, email)).body.code, 'USER_ALREADY_EXISTS')
  return status === 200 ? 'signed up' : 'signed in'
}

/** How many users, accounts, shards, balances and ledger entries. */
const ABSENT = [0, 0, 0, 0, 0]
const HALF_WAY = [1, 1, 1, 0, 0]
const WHOLE = [1, 1, 1, 1, 1]

async function rowsOf(env: Env, email: string): Promise<readonly number[]> {
  const stores = await openStores(readConfig(env))
  const { meta, shards } = stores
  const users = await meta.selectFrom('user').select('id').where('email', '=', email).execute()
  const id = users[0]?.id ?? ''
  const rows: (readonly object[])[] = [
    users,
    await meta.selectFrom('account').select('id').where('user_id', '=', id).execute(),
    await meta.selectFrom('user_shards').select('shard_id').where('user_id', '=', id).execute(),
  ]
  const shard = shards.get(SHARD)
  assert.ok(shard)
  rows.push(
    await shard.selectFrom('credit_balance').select('balance').where('user_id', '=', id).execute(),
    await shard.selectFrom('credit_entries').select('amount').where('user_id', '=', id).execute(),
  )
  await closeStores(stores)
  return rows.map(({ length }) => length)
}

/**
 * The start opens the administrator's balance, and the relay hands its event over: the shard is written to
 * twice.
 */
async function administratorSettled(env: Env): Promise<void> {
  const stores = await openStores(readConfig(env))
  const shard = stores.shards.get(SHARD)
  assert.ok(shard)
  const balances = shard.selectFrom('credit_balance').select('user_id')
  const events = shard.selectFrom('event_outbox').select('id')
  while ((await balances.execute()).length === 0 || (await events.execute()).length > 0) await nextTurn()
  await closeStores(stores)
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.join() === b.join()
}

/** A reward, so that credits are at stake, and no cooldown, so that a person may try again at once. */
async function prepareWithReward(env: Env): Promise<void> {
  const config = readConfig(env)
  const stores = await openStores(config)
  await prepareStores(config, stores, Date.now, 1)
  const { authentication } = defaultSettings
  await stores.meta
    .updateTable('settings')
    .set({
      authentication: JSON.stringify({ ...authentication, email_user_action_cooldown_seconds: 0 }),
      credits: JSON.stringify({ signup_reward_enabled: true, signup_reward_amount: REWARD }),
    })
    .execute()
  await closeStores(stores)
}
