import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe } from 'vitest'
import { defaultSettings } from '../../src/features/ground/settings/model.ts'
import type { Env, Installation, Life } from '../processes/installation.ts'
import { it } from '../processes/it.ts'
import { Person } from '../service/people.ts'
import { canTrace, interfere } from './support/strace.ts'
import { Wire } from './support/wire.ts'

const SHARD = 'apac-1'
const REWARD = 7
const BETWEEN = { stores: [SHARD], injection: 'pwrite64:error=EIO:signal=KILL' }
/** Each flush, and now and then a write. */
const ANYWHERE = [
  ...[1, 2, 3].map((nth) => `fsync,fdatasync:error=EIO:signal=KILL:when=${nth}`),
  ...[1, 8, 22, 36, 43].map((nth) => `pwrite64:error=EIO:signal=KILL:when=${nth}`),
].map((injection) => ({ stores: ['meta', SHARD], injection }))

describe('a process that is killed while somebody signs up', () => {
  it.skipIf(!canTrace)(
    'SQLite, between the global commit and the shard: the account is there, and made whole (needs strace)',
    async ({ program }) => {
      await prepareWithReward(program)
      const life = await program.serve()
      await administratorSettled(program)

      assert.equal(await killedWhileSigningUp(program, life, 'ann', BETWEEN), undefined, 'nobody was killed')
      assert.deepEqual(await rowsOf(program, 'ann'), HALF_WAY)
      assert.equal(await signedUpOrIn(await program.serve(), 'ann'), 'signed in')
      assert.deepEqual(await rowsOf(program, 'ann'), WHOLE)
    },
  )

  it.skipIf(!canTrace)(
    'SQLite, at any write to the disk: the account is whole or absent, and its owner gets in (needs strace)',
    async ({ program }) => {
      await prepareWithReward(program)
      const entered = new Set<string>()
      let life = await program.serve()

      for (const [i, aim] of ANYWHERE.entries()) {
        const name = `person-${i}`
        await killedWhileSigningUp(program, life, name, aim)

        const found = await rowsOf(program, name)
        assert.ok([ABSENT, HALF_WAY, WHOLE].map(String).includes(String(found)), `${aim.injection}: ${found}`)
        life = await program.serve()
        entered.add(await signedUpOrIn(life, name))
        assert.deepEqual(await rowsOf(program, name), WHOLE, aim.injection)
      }

      assert.deepEqual(entered, new Set(['signed up', 'signed in']))
    },
  )

  it('PostgreSQL, between the global commit and the shard: the account is there, and made whole', async ({
    program,
    places,
  }) => {
    const env = await places.on('PostgreSQL')
    await using wire = await Wire.to(Number(new URL(env.DATABASE_URL ?? '').port))
    await prepareWithReward(program, env)
    const first = await program.serve({ ...env, SHARDS: wire.through(env.SHARDS ?? '') })
    await administratorSettled(program, env)

    // The state in which the batch enters the new resident; nothing else that is sent contains the word.
    const reached = wire.swallowed('open')
    const answer = signUp(first, 'ann').catch(() => undefined)
    await reached
    await first.end('SIGKILL')

    assert.equal(await answer, undefined)
    assert.deepEqual(await rowsOf(program, 'ann', env), HALF_WAY)
    assert.equal(await signedUpOrIn(await program.serve(env), 'ann'), 'signed in')
    assert.deepEqual(await rowsOf(program, 'ann', env), WHOLE)
  })
})

function signUp(life: Life, name: string) {
  return new Person(life, `${name}@example.com`, 'a long walk in the rain').signUp()
}

/** The status that the user saw, if the process responded before it ended. */
async function killedWhileSigningUp(
  program: Installation,
  life: Life,
  name: string,
  { stores, injection }: typeof BETWEEN,
): Promise<number | undefined> {
  const interference = await interfere(life.child, program, stores, injection)
  const answer = await signUp(life, name).catch(() => undefined)
  await interference.drop()
  await life.end('SIGKILL')
  return answer?.status
}

/** Acts like a user: signs up again, signs in if the address is taken, and reads the balance twice. */
async function signedUpOrIn(life: Life, name: string): Promise<'signed up' | 'signed in'> {
  const { status } = await signUp(life, name)
  assert.ok(status === 200 || status === 422, String(status))
  const person = await life.signedIn({ email: `${name}@example.com` })
  for (const _ of [1, 2]) assert.deepEqual((await person.post('/api/get_credit_summary')).body, { balance: REWARD })
  assert.equal((await person.post('/api/submit_feedback', { type: 'idea', content: 'Hello' })).status, 200)
  assert.equal((await signUp(life, name)).body.code, 'USER_ALREADY_EXISTS')
  return status === 200 ? 'signed up' : 'signed in'
}

/** The numbers of users, accounts, shards, balances and ledger entries. */
const ABSENT = [0, 0, 0, 0, 0]
const HALF_WAY = [1, 1, 1, 0, 0]
const WHOLE = [1, 1, 1, 1, 1]

async function rowsOf(program: Installation, name: string, env: Env = {}): Promise<readonly number[]> {
  await using stores = await program.openStores(env)
  const { meta, shards } = stores
  const shard = shards.get(SHARD) ?? assert.fail()
  const users = await meta.selectFrom('user').select('id').where('email', '=', `${name}@example.com`).execute()
  const id = users[0]?.id ?? ''
  const others = await Promise.all([
    meta.selectFrom('account').select('id').where('user_id', '=', id).execute(),
    meta.selectFrom('user_shards').select('shard_id').where('user_id', '=', id).execute(),
    shard.selectFrom('credit_balance').select('balance').where('user_id', '=', id).execute(),
    shard.selectFrom('credit_entries').select('amount').where('user_id', '=', id).execute(),
  ])
  return [users, ...others].map(({ length }) => length)
}

/**
 * The start opens the administrator's balance, and the relay hands its event over: the shard is written to
 * twice.
 */
async function administratorSettled(program: Installation, env: Env = {}): Promise<void> {
  await using stores = await program.openStores(env)
  const shard = stores.shards.get(SHARD) ?? assert.fail()
  const balances = shard.selectFrom('credit_balance').select('user_id')
  const events = shard.selectFrom('event_outbox').select('id')
  while ((await balances.execute()).length === 0 || (await events.execute()).length > 0) await nextTurn()
}

/** A reward, so that credits are at stake, and no cooldown, so that a person can try again at once. */
async function prepareWithReward(program: Installation, env: Env = {}): Promise<void> {
  const { authentication } = defaultSettings()
  await program.prepare(env, {
    authentication: { ...authentication, email_user_action_cooldown_seconds: 0 },
    credits: { signup_reward_enabled: true, signup_reward_amount: REWARD },
  })
}
