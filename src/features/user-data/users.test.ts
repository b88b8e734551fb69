import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { changeSettings } from '../../../test/service/change-settings.ts'
import { it } from '../../../test/service/it.ts'
import { Person, stranger } from '../../../test/service/people.ts'
import type { Service } from '../../../test/service/service.ts'
import { fillShard } from '../../../test/service/stores/many-rows.ts'
import { serviceWithMail } from '../../../test/service/with-mail.ts'
import { type Shard, StoreUnavailable } from '../../database/store.ts'
import { ERASED_AT_ONCE, eraseSome } from '../moves/shard-rows.ts'
import { getShard } from '../shards/shards.ts'

const emailsOf = (answer: { readonly body: { readonly items: readonly { email: string }[] } }) =>
  answer.body.items.map(({ email }) => email)

/** Rows of this person in every table that can have some. */
async function leaveTraces(person: Person, administrator: Person) {
  await person.post('/api/submit_feedback', { type: 'idea', content: 'Mine' })
  await person.post('/api/submit_feedback', { type: 'bug', content: 'Mine too' })
  await person.post('/api/read_notification', { id: 'anything' })
  const [beta_code] = (await administrator.post('/api/admin/generate_beta_codes')).body.codes
  await person.post('/api/bind_beta_code', { beta_code })
  await administrator.post('/api/admin/create_notification', {
    title: 'For one',
    content: 'Only',
    target_user_id: person.id,
  })
}

/** If verification is required, a sign-up does not create the balance. */
async function afterQuietSignUp() {
  const service = await serviceWithMail({ authentication: { email_verification_required: true } })
  await changeSettings(service, 'credits', { signup_reward_enabled: true, signup_reward_amount: 25 })
  const administrator = new Person(service, service.administrator.email, service.administrator.password)
  await administrator.signIn()
  const carl = stranger(service)
  await carl.signUp()
  await administrator.post('/api/admin/mark_verified', { id: carl.id })
  await carl.signIn()
  return { administrator, carl, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

async function rowsNaming(service: Service, userId: string) {
  const { meta, shards } = service.platform
  const tables = ['feedbacks', 'notification_reads', 'credit_balance', 'credit_entries'] as const
  const inShards = await Promise.all(
    [...shards.values()].flatMap((shard) =>
      tables.map(async (table) => {
        const rows = await shard.selectFrom(table).selectAll().where('user_id', '=', userId).execute()
        return rows.length > 0 ? [table] : []
      }),
    ),
  )
  const owned = ['account', 'session', 'user_shards', 'api_grant'] as const
  const inMeta = await Promise.all(
    owned.map(async (table) => {
      const rows = await meta.selectFrom(table).selectAll().where('user_id', '=', userId).execute()
      return rows.length > 0 ? [table] : []
    }),
  )
  return [...inShards, ...inMeta].flat()
}

async function countedOf(administrator: Person) {
  const totals = ['idea', 'bug'].map(async (type) => {
    const { body } = await administrator.post('/api/admin/list_feedbacks', { type })
    return body.total
  })
  return Promise.all(totals)
}

async function foundOf(shard: Shard) {
  const rows = await shard.selectFrom('feedbacks').select('type').execute()
  return ['idea', 'bug'].map((type) => rows.filter((row) => row.type === type).length)
}

describe('list_users', () => {
  it('lists newest first and finds by part of the address or name, or by id', async ({
    service,
    administrator,
    ann,
  }) => {
    const all = await administrator.post('/api/admin/list_users')
    const byPart = await administrator.post('/api/admin/list_users', { search: 'BEN@' })
    const byId = await administrator.post('/api/admin/list_users', { search: ann.id })
    const none = await administrator.post('/api/admin/list_users', { search: '%' })
    const later = await administrator.post('/api/admin/list_users', {
      created_at_start: service.clock.now() + 1,
    })
    const past = await administrator.post('/api/admin/list_users', { page: 2 })

    assert.equal(all.body.total, 3)
    assert.deepEqual(emailsOf(all).sort(), ['admin@example.com', 'ann@example.com', 'ben@example.com'])
    assert.deepEqual([emailsOf(byPart), byPart.body.total], [['ben@example.com'], 1])
    assert.deepEqual(emailsOf(byId), ['ann@example.com'])
    assert.deepEqual([none.body.total, later.body.total], [0, 0])
    assert.deepEqual(past.body, { items: [], total: 3 })
    assert.doesNotMatch(JSON.stringify(all.body), /hash|token/)
  })
})

describe('get_user', () => {
  it("shows one user's accounts, sessions, grants, shard, balance and feedbacks", async ({
    administrator,
    ann,
  }) => {
    await leaveTraces(ann, administrator)

    const { status, body } = await administrator.post('/api/admin/get_user', { id: ann.id })

    assert.equal(status, 200)
    assert.equal(body.email, 'ann@example.com')
    assert.deepEqual(
      body.accounts.map(({ provider }: { provider: string }) => provider),
      ['credential'],
    )
    assert.deepEqual([body.sessions.length, body.grants, body.balance, body.feedbacks], [1, [], 0, 2])
    assert.equal(body.shard_id, 'apac-1')
    assert.match(body.beta_code.code, /-/)
    assert.doesNotMatch(JSON.stringify(body), /hash|ghs_/)
  })

  it('counts the signup reward of a user whose balance nobody has read yet', async () => {
    await using w = await afterQuietSignUp()

    const { body } = await w.administrator.post('/api/admin/get_user', { id: w.carl.id })

    assert.equal(body.balance, 25)
  })

  it('leaves out only what is in the shard while the shard is down', async ({
    service,
    administrator,
    ann,
  }) => {
    const shard = service.platform.shards.get('apac-1') ?? assert.fail('the shard is there')
    Object.assign(shard, { snapshot: () => Promise.reject(new StoreUnavailable('apac-1')) })

    const { status, body } = await administrator.post('/api/admin/get_user', { id: ann.id })

    assert.equal(status, 200)
    assert.deepEqual(
      [body.email, body.shard_id, body.balance, body.feedbacks],
      [ann.email, 'apac-1', null, null],
    )
    assert.equal(body.sessions.length, 1)
  })

  it('an unknown one is 404', async ({ administrator }) => {
    for (const path of ['get_user', 'revoke_user_sessions', 'delete_user']) {
      const { status, body } = await administrator.post(`/api/admin/${path}`, { id: 'nobody' })
      assert.deepEqual([status, body.code], [404, 'NOT_FOUND'])
    }
  })
})

describe('revoke_user_sessions', () => {
  it('signs out this user everywhere at once, and no other', async ({ service, administrator, ann, ben }) => {
    await new Person(service, ann.email, ann.password).signIn()

    const { body } = await administrator.post('/api/admin/revoke_user_sessions', { id: ann.id })

    assert.deepEqual(body, { count: 2 })
    assert.equal((await ann.post('/api/list_notifications')).status, 401)
    assert.equal((await ben.post('/api/list_notifications')).status, 200)
  })
})

describe('delete_user', () => {
  it('removes the global rows at once and the shard rows by the job, with a line when done', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    await leaveTraces(ann, administrator)
    await leaveTraces(ben, administrator)
    await administrator.post('/api/admin/create_notification', { title: 'For all', content: 'Stays' })

    const { status, body } = await administrator.post('/api/admin/delete_user', { id: ann.id })
    const refused = await ann.post('/api/list_notifications')
    const before = await rowsNaming(service, ann.id)
    await service.runJob('erasure')
    const after = await rowsNaming(service, ann.id)

    assert.deepEqual([status, body], [200, {}])
    assert.equal(refused.status, 401)
    assert.deepEqual(before.sort(), ['credit_balance', 'feedbacks', 'notification_reads'])
    assert.deepEqual(after, [])
    const lines = await administrator.post('/api/admin/list_audit_entries', { subject_id: ann.id })
    const done = lines.body.items.filter(({ action }: { action: string }) => action === 'user.erased')
    assert.equal(done.length, 1)
    const left = await administrator.post('/api/admin/list_notifications')
    assert.deepEqual(left.body.items.map(({ title }: { title: string }) => title).sort(), [
      'For all',
      'For one',
    ])
  })

  it('leaves the totals of feedback exact', async ({ service, administrator, ann, ben }) => {
    await leaveTraces(ann, administrator)
    await leaveTraces(ben, administrator)

    await administrator.post('/api/admin/delete_user', { id: ann.id })
    await service.runJob('erasure')

    for (const [filter, total] of [
      [{}, 2],
      [{ type: 'idea' }, 1],
      [{ type: 'bug' }, 1],
      [{ user_id: ann.id }, 0],
      [{ user_id: ben.id }, 2],
    ] as const) {
      const { body } = await administrator.post('/api/admin/list_feedbacks', filter)
      assert.deepEqual([body.total, body.items.length], [total, total])
    }
  })

  it('erases many rows in batches, and the totals of feedback are exact after each', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const shard = getShard(service.platform, 'apac-1')
    await fillShard(shard, ann.id, 2 * ERASED_AT_ONCE + 1)
    await leaveTraces(ben, administrator)

    const lefts: number[] = []
    for (let isMore = true; isMore; ) {
      isMore = await eraseSome(shard, ann.id, (statements) => shard.batch(statements))
      const { body } = await administrator.post('/api/admin/list_feedbacks', { user_id: ann.id })
      lefts.push(body.total)
      assert.deepEqual(await countedOf(administrator), await foundOf(shard))
    }

    assert.deepEqual(lefts, [ERASED_AT_ONCE + 1, 1, 0])
    assert.equal((await administrator.post('/api/admin/list_feedbacks')).body.total, 2)
  })

  it('is resumed after a stop at any point, and ends with one line', async ({
    service,
    administrator,
    ann,
  }) => {
    await leaveTraces(ann, administrator)
    await administrator.post('/api/admin/delete_user', { id: ann.id })

    await Promise.all([1, 2, 3].map(() => service.runJob('erasure')))
    await service.platform.meta.updateTable('erasure').set({ done_at: null }).execute()
    await service.runJob('erasure')

    const { body } = await administrator.post('/api/admin/list_audit_entries', { action: 'user.erased' })
    assert.equal(body.total, 1)
    assert.deepEqual(await rowsNaming(service, ann.id), [])
  })

  it('the address is free again, and the new user has nothing of the old one', async ({
    service,
    administrator,
    ann,
  }) => {
    await leaveTraces(ann, administrator)
    await administrator.post('/api/admin/delete_user', { id: ann.id })
    service.clock.advance({ minutes: 2 })

    const again = await ann.signUp()
    await service.runJob('erasure')

    assert.equal(again.status, 200)
    const { body } = await administrator.post('/api/admin/get_user', { id: ann.id })
    assert.deepEqual([body.feedbacks, body.balance], [0, 0])
  })

  it('refuses the administrator', async ({ administrator }) => {
    const { status, body } = await administrator.post('/api/admin/delete_user', { id: administrator.id })

    assert.deepEqual([status, body.code], [403, 'FORBIDDEN'])
  })
})

describe('export_account', () => {
  it('has the signup reward of a user who has not read the balance yet', async () => {
    await using w = await afterQuietSignUp()

    const { body } = await w.carl.post('/api/export_account')

    assert.deepEqual([body.credits.balance, body.credits.entries.length], [25, 1])
  })

  it('returns everything that is stored about the caller, and no secret', async ({
    administrator,
    ann,
    ben,
  }) => {
    await leaveTraces(ann, administrator)
    await leaveTraces(ben, administrator)

    const { status, body } = await ann.post('/api/export_account')

    assert.equal(status, 200)
    assert.equal(body.user.email, 'ann@example.com')
    assert.deepEqual(
      body.feedbacks.map(({ content }: { content: string }) => content),
      ['Mine', 'Mine too'],
    )
    assert.deepEqual(body.notifications.read, ['anything'])
    assert.equal(body.notifications.targeted.length, 1)
    assert.deepEqual(body.credits, { balance: 0, entries: [] })
    assert.equal(body.user.sessions.length, 1)
    assert.doesNotMatch(JSON.stringify(body), /hash|ghs_|ben@example/)
  })
})
