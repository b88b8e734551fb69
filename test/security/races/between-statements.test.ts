import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { PostgresEngine } from '../../../src/database/postgres/engine.ts'
import type { MetaTables } from '../../../src/database/schema/tables.ts'
import { Store } from '../../../src/database/store.ts'
import { openShard } from '../../../src/database/stores.ts'
import { NumberedAct } from '../../interleavings/engines/numbered-act.ts'
import { PAUSED_BY, PausingEngine } from '../../interleavings/engines/pausing-engine.ts'
import { testServer } from '../../postgres/databases.ts'
import { openConnections, patient } from '../../postgres/held-user.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { Person, stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

let server: Awaited<ReturnType<typeof testServer>>

before(async () => {
  server = await testServer()
})
after(() => server.stop())

/** A service on PostgreSQL, and what runs an act with another between two statements of its batches. */
async function world() {
  const stack = new AsyncDisposableStack()
  const act = new NumberedAct()
  const service = stack.use(
    await startService({
      server: server.url,
      env: { USER_LIMIT_FACTOR: '1000' },
      async open({ databaseUrl = '', shards }) {
        const engine = new PausingEngine(new PostgresEngine('meta', { url: patient(databaseUrl) }), act)
        const opened = shards.map(async (shard) => [shard.id, await openShard(shard)] as const)
        return { meta: new Store<MetaTables>(engine), shards: new Map(await Promise.all(opened)) }
      },
    }),
  )
  await changeSettings(service, 'email', { provider: 'smtp' })
  await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 0 })
  await openConnections(service.platform.meta, service.config.databaseUrl ?? '', 4)
  const holder = stack.adopt(new pg.Client(service.config.databaseUrl), (client) => client.end())
  await holder.connect()

  /** False if the act has fewer statements. */
  async function pausedAt(statement: number, first: () => Promise<unknown>, second: () => Promise<unknown>) {
    await holder.query('select pg_advisory_lock($1)', [PAUSED_BY])
    const running = started(act.run(statement, first))
    await until(async () => running.isOver() || (await waiting(holder)) > 0)
    const isPaused = !running.isOver()
    const other = started(act.outside(second))
    await until(async () => other.isOver() || (await waiting(holder)) > 1)
    await holder.query('select pg_advisory_unlock($1)', [PAUSED_BY])
    await Promise.all([running.end, other.end])
    return isPaused
  }
  return { service, pausedAt, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

function started(end: Promise<unknown>) {
  let isOver = false
  end.then(
    () => (isOver = true),
    () => (isOver = true),
  )
  return { end, isOver: () => isOver }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate)
}

async function waiting(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `select count(*)::int as waiting from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0].waiting
}

async function letters({ mail }: Service, address: string): Promise<number> {
  return (await mail.sentTo(address)).filter(({ text }) => !/\d{6}/.test(text)).length
}

describe('a sign-out between any two statements', () => {
  it('of a first proof leaves the letter about what it has ended, or the password as it was', async () => {
    await using w = await world()

    for (let n = 1, isPaused = true; isPaused; n++) {
      const ann = stranger(w.service, `ann-${n}@example.com`)
      const { email, password } = ann
      await ann.signUp()
      const browser = new Person(w.service, email, password)
      await browser.signIn()
      await browser.post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })
      const otp = await w.service.mail.codeFor(email)

      isPaused = await w.pausedAt(
        n,
        () => browser.post('/api/auth/email-otp/verify-email', { email, otp }),
        () => browser.post('/api/auth/sign-out'),
      )

      const hasLetter = (await letters(w.service, email)) > 0
      const { status } = await new Person(w.service, email, password).signIn()
      assert.equal(status, hasLetter ? 401 : 200, `statement ${n}`)
    }
  })
})
