import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { TABLE_OWNERS } from '../../../src/database/schema/tables.ts'
import { faketime } from '../../chaos/worlds/service-process.ts'
import { startHttpServer } from '../../processes/http-server.ts'
import type { Installation, Life } from '../../processes/installation.ts'
import { it } from '../../processes/it.ts'
import { startSmtpServer } from '../../processes/smtp-server.ts'
import { grantFor, startDevice } from '../../service/grants.ts'
import { Person } from '../../service/people.ts'
import { temporaryFolder } from '../../service/temporary-folder.ts'

const DAYS = 400
/** Longer than anything is kept in this test. Until then tables fill; afterwards they must not grow. */
const SETTLED_AFTER_DAYS = 220
const RETENTION = { AUDIT_RETENTION_DAYS: '90', EVENT_RETENTION_DAYS: '30' }
/** Hourly work comes every 36 ms, so several times in each day of this test. */
const YEAR_SPEED = '100000'
/** Between two days, what is due and not swept yet differs. */
const GROWTH = 1.2
const ROWS_BETWEEN_SWEEPS = 12
const MEMORY_GROWTH = 1.25

const document = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')

/** The rows of the table in "What is kept, and for how long", by table. */
const KEPT = new Map(
  [...document.matchAll(/^\| (`\w+`(?:, `\w+`)*) +\| ([^|]+?) +\|/gm)].flatMap(([, names = '', kept = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, kept] as const),
  ),
)

describe('docs/operations.md', () => {
  it('says of each table for how long its rows are kept', () => {
    const missing = Object.keys(TABLE_OWNERS).filter((table) => !KEPT.has(table))

    assert.deepEqual(missing, [])
  })
})

/** Sets the clock of the process; its timers run as fast (`fast-timers.mjs`). */
class Calendar {
  readonly #file = join(temporaryFolder(), 'clock')

  constructor() {
    this.setDay(0)
  }

  get environment() {
    return {
      LD_PRELOAD: faketime ?? '',
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NODE_OPTIONS: `--import=${new URL('fast-timers.mjs', import.meta.url)}`,
      YEAR_SPEED,
    }
  }

  setDay(day: number): void {
    writeFileSync(this.#file, `+${day}d\n`)
  }
}

describe('a year', () => {
  it.skipIf(!faketime)(
    'of use leaves each table as large as the documents say, and the memory as it was (needs faketime)',
    async ({ program }) => {
      await using smtp = await startSmtpServer()
      const receiver = await startHttpServer(() => ({ body: {} }))
      const calendar = new Calendar()
      const env = { ...RETENTION, SMTP_URL: smtp.url, WEBHOOK_NETWORKS: '127.0.0.0/8', USER_LIMIT_FACTOR: '1000' }
      const settings = { authentication: { unverified_account_days: 30 }, email: { provider: 'smtp' } }
      const credentials = await program.prepare(env, settings)
      const life = await program.serve({ ...env, ...calendar.environment })
      const administrator = new Person(life, credentials.email, credentials.password)
      const ann = await life.signedUp('ann')
      await administrator.signIn()
      await administrator.post('/api/admin/mark_verified', { id: ann.id })
      await administrator.post('/api/admin/create_webhook', { url: receiver.url })
      const figures = []

      for (let day = 1; day <= DAYS; day++) {
        calendar.setDay(day)
        await oneDay(life, day, administrator, ann)
        if (day === SETTLED_AFTER_DAYS || day === DAYS) figures.push(await figuresOf(program, life))
      }
      const { code, stderr } = await life.end()
      await receiver.stop()

      const [settled, last] = figures
      assert.ok(settled && last)
      const grown = Object.keys(last.rows).filter(
        (table) =>
          !/^grows/.test(KEPT.get(table) ?? '') &&
          (last.rows[table] ?? 0) > (settled.rows[table] ?? 0) * GROWTH + ROWS_BETWEEN_SWEEPS,
      )
      assert.deepEqual(
        grown.map((table) => [table, settled.rows[table], last.rows[table]]),
        [],
      )
      assert.ok(last.memory < settled.memory * MEMORY_GROWTH, `${settled.memory} became ${last.memory} bytes`)
      assert.equal(code, 0)
      assert.doesNotMatch(stderr, /"level":"error"/)
    },
  )
})

/** Things that leave rows: some go with their user, some after days. */
async function oneDay(life: Life, day: number, administrator: Person, ann: Person): Promise<void> {
  const [guest, stayer] = ['guest', 'stayer'].map((name) => new Person(life, `${name}-${day}@example.com`, PASSWORD))
  assert.ok(guest && stayer)
  assert.deepEqual(
    [(await guest.signUp()).status, (await stayer.signUp()).status, (await ann.signIn()).status],
    [200, 200, 200],
  )
  await administrator.signIn()
  await guest.post('/api/submit_feedback', { type: 'idea', content: `Day ${day}` }, { 'idempotency-key': `day-${day}` })
  await guest.post('/api/auth/sign-in/email', { email: guest.email, password: 'wrong' })
  await guest.post('/api/auth/email-otp/send-verification-otp', { email: guest.email, type: 'email-verification' })
  const stranger = new Person(life, ann.email, PASSWORD)
  await stranger.post('/api/auth/email-otp/request-password-reset', { email: ann.email })
  await startDevice(ann, 'account:profile:read')
  const grant = await grantFor(ann, 'operations:notifications:read')
  assert.equal((await grant.post('/api/list_notifications')).status, 200)
  if (day % 2 === 0) await ann.post('/api/auth/sign-out')
  await administrator.saveSettings('credits', { signup_reward_amount: day })
  const { status } = await guest.post('/api/auth/delete-user', { password: PASSWORD })
  assert.equal(status, 200)
}

const PASSWORD = 'a long walk in the rain'

async function figuresOf(program: Installation, life: Life) {
  const rows: Record<string, number> = {}
  for (const store of ['meta', 'apac-1', 'weur-1', 'oc-1'])
    for (const table of Object.keys(TABLE_OWNERS)) {
      const isThere = program.rows(store, `select 1 from sqlite_schema where name = '${table}'`).length > 0
      const [found] = isThere ? program.rows(store, `select count(*) as rows from "${table}"`) : []
      if (found) rows[table] = (rows[table] ?? 0) + Number(found.rows)
    }
  const text = await (await life.request('/metrics')).text()
  return { rows, memory: Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) }
}
