import assert from 'node:assert/strict'
import pg from 'pg'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { NumberedAct } from '../../interleavings/engines/numbered-act.ts'
import { openWrapped } from '../../interleavings/engines/open-wrapped.ts'
import { PAUSED_BY, PausingEngine } from '../../interleavings/engines/pausing-engine.ts'
import { testServer } from '../../postgres/databases.ts'
import { openConnections, patient } from '../../postgres/held-user.ts'
import { started, untilWaiting } from '../../postgres/waiting-acts.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { Person, stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

let server: Awaited<ReturnType<typeof testServer>>

beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.stop())

/** A service on PostgreSQL, and what runs an act with another between two statements of its batches. */
async function world() {
  const stack = new AsyncDisposableStack()
  const act = new NumberedAct()
  const service = stack.use(
    await startService({
      server: server.url,
      env: { USER_LIMIT_FACTOR: '1000' },
      open: ({ databaseUrl = '', ...config }) =>
        openWrapped(
          { ...config, databaseUrl: patient(databaseUrl) },
          (engine) => new PausingEngine(engine, act),
        ),
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
    await untilWaiting(holder, 1, running)
    const isPaused = !running.isOver()
    const other = started(act.outside(second))
    await untilWaiting(holder, 2, other)
    await holder.query('select pg_advisory_unlock($1)', [PAUSED_BY])
    await Promise.all([running.end, other.end])
    return isPaused
  }
  return { service, pausedAt, [Symbol.asyncDispose]: () => stack.disposeAsync() }
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
