import assert from 'node:assert/strict'
import { it } from 'vitest'
import { freshStores } from '../../../test/service/stores/fresh-stores.ts'
import { readConfig } from '../../config/config.ts'
import { DAY_MILLISECONDS } from '../../rules/time.ts'
import { rowCount } from '../row-counts.ts'
import type { Meta } from '../store.ts'
import { closeStores, openStores } from '../stores.ts'
import { metaMigrations } from './meta.ts'
import { migrate } from './migrate.ts'

async function migratedStore() {
  const fresh = await freshStores(readConfig({ DATA_DIR: '/nowhere' }))
  const stores = await openStores(fresh.config)
  await migrate(stores.meta, metaMigrations, 0)
  return {
    meta: stores.meta,
    async [Symbol.asyncDispose]() {
      await closeStores(stores)
      await fresh.drop()
    },
  }
}

function writer(meta: Meta, name: string) {
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
        await meta.insertInto('notifications').values(row).execute()
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
  const plain = { link: null, level: 'info', also_email: 0 } as const
  return { id, ...text, ...plain, target_user_id: null, created_at: 1, updated_at: 1, archived_at: null }
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
  const shown = await meta.primary.selectFrom('notifications').select('id').where('archived_at', 'is', null).execute()
  const notifications = await rowCount(meta.primary, 'notification').executeTakeFirstOrThrow()
  assert.equal(notifications.total, shown.length)
}

async function signUpsByDay(meta: Meta): Promise<Record<string, number>> {
  const rows = await meta.primary.selectFrom('row_counts').selectAll().where('kind', '=', 'sign_up').execute()
  const totals: Record<string, number> = {}
  for (const { value, total } of rows) totals[value] = (totals[value] ?? 0) + total
  return Object.fromEntries(Object.entries(totals).filter(([, total]) => total !== 0))
}

it('counters are exact while several write, publish and delete at once', async () => {
  await using store = await migratedStore()
  const { meta } = store
  const writers = Array.from({ length: 4 }, (_, i) => writer(meta, `process ${i}`))
  await Promise.all(writers.map((one) => one.write(30)))

  await Promise.all([
    ...writers.map((one) => one.expire(20)),
    ...Array.from({ length: 4 }, (_, i) => writer(meta, `beside ${i}`).signUp(30)),
    ...Array.from({ length: 4 }, (_, i) => writer(meta, `publisher ${i}`).publish(20)),
  ])

  assert.ok((await rowCount(meta.primary, 'audit_entry').executeTakeFirstOrThrow()).total > 0)
  await assertExact(meta)
})

it('the counter of sign-ups by day follows a user whose sign-up time the operator corrects', async () => {
  await using store = await migratedStore()
  const { meta } = store
  await writer(meta, 'old').signUp(3)

  const corrected = meta.updateTable('user').set({ created_at: 3 * DAY_MILLISECONDS })
  await corrected.where('id', 'in', ['old 1', 'old 2']).execute()
  await assertExact(meta)
  await meta.deleteFrom('user').where('id', '=', 'old 1').execute()

  await assertExact(meta)
})
