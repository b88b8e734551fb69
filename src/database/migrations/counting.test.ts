import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, it } from 'vitest'
import { command, withClient } from '../../../test/postgres/databases.ts'
import { oldStore, upTo } from '../../../test/service/stores/old-store.ts'
import { DAY_MILLISECONDS } from '../../rules/time.ts'
import { rowCount } from '../row-counts.ts'
import { isShared } from '../sql/row-lock.ts'
import type { Meta } from '../store.ts'
import { openMeta } from '../stores.ts'
import { metaMigrations } from './meta.ts'
import { migrate } from './migrate.ts'

/** As the operator serves with a role that does not own the tables. An embedded store has no roles. */
async function servingRole({ meta, config, url }: Awaited<ReturnType<typeof oldStore>>) {
  if (!isShared(meta)) return { meta, [Symbol.asyncDispose]: async () => undefined }
  const role = `serving_${randomBytes(8).toString('hex')}`
  await command(
    url,
    `create role ${role}; grant select, insert, update, delete on all tables in schema public to ${role}`,
  )
  const asRole = new URL(url)
  asRole.searchParams.set('options', `-c role=${role}`)
  const served = await openMeta({ ...config, databaseUrl: asRole.href })
  return {
    meta: served,
    async [Symbol.asyncDispose]() {
      await served.close()
      await command(url, `drop owned by ${role}; drop role ${role}`)
    },
  }
}

/** As a process of the release before writes: it knows of no counter. */
function oldProcess(meta: Meta, name: string) {
  const row = (i: number) => ({ id: `${name} ${i}`, created_at: i, action: `act ${i % 3}`, details: '{}' })
  return {
    async write(count: number) {
      for (let i = 0; i < count; i++) await meta.insertInto('event').values(row(i)).execute()
    },
    async signUp(count: number) {
      for (let i = 0; i < count; i++)
        await meta.batch([
          meta.insertInto('user').values(user(`${name} ${i}`) as never),
          meta.insertInto('event').values(row(i)),
        ])
    },
    /** Archives every second one, restores every fourth, and deletes the first three. */
    async publish(count: number) {
      for (let i = 0; i < count; i++) {
        const row = notification(`${name} ${i}`)
        const it = meta.updateTable('notifications').where('id', '=', row.id)
        await insertOld(meta, row)
        if (i % 2 === 0) await it.set({ archived_at: 1 }).execute()
        if (i % 4 === 0) await it.set({ archived_at: null }).execute()
      }
      const deleted = [0, 1, 2].map((i) => `${name} ${i}`)
      await meta.deleteFrom('notifications').where('id', 'in', deleted).execute()
    },
    async expire(count: number) {
      for (let i = 0; i < count; i += 2)
        await meta.batch([
          meta.deleteFrom('event').where('id', '=', `${name} ${i}`),
          meta
            .updateTable('event')
            .set({ action: '' })
            .where('id', '=', `${name} ${i + 1}`),
        ])
    },
  }
}

function user(id: string) {
  const email = `${id.replaceAll(' ', '-')}@example.com`
  return {
    id,
    name: id,
    email,
    aff_code: id,
    role: 'user',
    email_verified: 0,
    factors: '',
    created_at: 1,
    updated_at: 1,
  } as const
}

function notification(id: string) {
  const text = { type: 'system', title: id, content: id }
  return { id, ...text, target_user_id: null, created_at: 1, updated_at: 1, archived_at: null }
}

/** In the columns that this release had. */
async function insertOld(meta: Meta, row: ReturnType<typeof notification>): Promise<void> {
  await sql`insert into notifications (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
    values (${sql.join(Object.values(row))})`.execute(meta)
}

async function assertExact(meta: Meta): Promise<void> {
  const log = await meta.primary.selectFrom('event').select('action').where('action', '<>', '').execute()
  for (const action of ['act 0', 'act 1', 'act 2']) {
    const { total } = await rowCount(meta.primary, 'audit_entry', action).executeTakeFirstOrThrow()
    assert.equal(total, log.filter((row) => row.action === action).length, action)
  }
  const { total } = await rowCount(meta.primary, 'audit_entry').executeTakeFirstOrThrow()
  assert.equal(total, log.length)
  const users = await meta.primary.selectFrom('user').select('created_at').execute()
  const counted = await rowCount(meta.primary, 'user').executeTakeFirstOrThrow()
  assert.equal(counted.total, users.length)
  const days = users.map(({ created_at: at }) => String(Math.floor(at / DAY_MILLISECONDS)))
  assert.deepEqual(
    await signUpsByDay(meta),
    Object.fromEntries([...new Set(days)].map((day) => [day, days.filter((each) => each === day).length])),
  )
  const shown = await meta.primary
    .selectFrom('notifications')
    .select('id')
    .where('archived_at', 'is', null)
    .execute()
  const notifications = await rowCount(meta.primary, 'notification').executeTakeFirstOrThrow()
  assert.equal(notifications.total, shown.length)
}

async function signUpsByDay(meta: Meta): Promise<Record<string, number>> {
  const rows = await meta.primary.selectFrom('row_counts').selectAll().where('kind', '=', 'sign_up').execute()
  const totals: Record<string, number> = {}
  for (const { value, total } of rows) totals[value] = (totals[value] ?? 0) + total
  return Object.fromEntries(Object.entries(totals).filter(([, total]) => total !== 0))
}

describe('the upgrade to counters', () => {
  it('counts what is there, and what processes of the release before write between its steps', async () => {
    await using store = await oldStore('0023-passkeys-alone')
    const { meta } = store
    const old = oldProcess(meta, 'old')
    await old.write(40)
    await old.publish(20)

    await migrate(meta, upTo('0025-user-counts'), 1)
    await oldProcess(meta, 'beside').write(10)
    await old.expire(6)
    await migrate(meta, upTo('0027-notification-counts'), 2)
    await oldProcess(meta, 'beside').publish(11)
    await migrate(meta, metaMigrations, 3)
    await assertExact(meta)
    await old.expire(20)
    await oldProcess(meta, 'after').write(10)
    await oldProcess(meta, 'after').publish(12)

    await assertExact(meta)
  })

  it('is exact while two new processes start at once and old ones write and delete', async () => {
    await using store = await oldStore('0023-passkeys-alone')
    const { meta } = store
    const writers = Array.from({ length: 4 }, (_, i) => oldProcess(meta, `process ${i}`))
    await Promise.all(writers.map((writer) => writer.write(30)))

    await Promise.all([
      ...writers.map((writer) => writer.expire(20)),
      ...Array.from({ length: 4 }, (_, i) => oldProcess(meta, `beside ${i}`).signUp(60)),
      ...Array.from({ length: 4 }, (_, i) => oldProcess(meta, `publisher ${i}`).publish(20)),
      migrate(meta, metaMigrations, 1),
      migrate(meta, metaMigrations, 1),
    ])

    assert.ok((await rowCount(meta.primary, 'audit_entry').executeTakeFirstOrThrow()).total > 0)
    await assertExact(meta)
  })

  it('lets a process of the release before write with a role that has no right to the new table', async () => {
    await using store = await oldStore('0023-passkeys-alone')
    await using served = await servingRole(store)
    const old = oldProcess(served.meta, 'old')
    await old.signUp(4)

    await migrate(store.meta, metaMigrations, 1)
    await old.expire(2)
    await served.meta.deleteFrom('user').where('id', '=', 'old 1').execute()
    await oldProcess(served.meta, 'after').signUp(3)

    await assertExact(store.meta)
  })

  it('lets a process of the release before finish a batch that has locked a user', async () => {
    await using store = await oldStore('0023-passkeys-alone')
    const { meta, url } = store
    await oldProcess(meta, 'old').signUp(1)
    const [first, second] = [`update "user" set updated_at = 2`, `update event set details = '{"a":1}'`]
    const upgrade = () => migrate(meta, metaMigrations, 1)

    await (isShared(meta) ? whileLocked(url, first, second, upgrade) : upgrade())

    await assertExact(meta)
  })
})

it('the counter of sign-ups by day follows a user whose sign-up time the operator corrects', async () => {
  await using store = await oldStore('0023-passkeys-alone')
  const { meta } = store
  const old = oldProcess(meta, 'old')
  await old.signUp(3)
  await migrate(meta, metaMigrations, 1)

  const corrected = meta.updateTable('user').set({ created_at: 3 * DAY_MILLISECONDS })
  await corrected.where('id', 'in', ['old 1', 'old 2']).execute()
  await assertExact(meta)
  await meta.deleteFrom('user').where('id', '=', 'old 1').execute()

  await assertExact(meta)
})

const LONGEST_MILLISECONDS = 120_000

/** One transaction that runs the first statement, and the second one as soon as the act waits for its lock. */
function whileLocked(url: string, first: string, second: string, act: () => Promise<unknown>) {
  return withClient(url, (holder) =>
    withClient(url, async (watcher) => {
      const goOn = async () => {
        const until = performance.now() + LONGEST_MILLISECONDS
        while ((await watcher.query(WAITING)).rowCount === 0) {
          if (performance.now() > until) throw new Error('nobody waits for the lock')
          await pause(5)
        }
        await holder.query(second)
        await holder.query('commit')
      }
      await holder.query('begin')
      await holder.query(first)
      await Promise.all([act(), goOn()])
    }),
  )
}

const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
