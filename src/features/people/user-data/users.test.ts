import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, eachOf, statuses } from '../../../../test/service/answers.ts'
import { it } from '../../../../test/service/it.ts'
import { inNewBrowser } from '../../../../test/service/new-browser.ts'
import { Person, stranger } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { fillShard } from '../../../../test/service/stores/many-rows.ts'
import { WITH_MAIL } from '../../../../test/service/with-mail.ts'
import { StoreUnavailable } from '../../../database/store.ts'
import { ERASED_AT_ONCE, eraseSome } from '../../tenancy/moves/belongings-store.ts'
import { getShard } from '../../tenancy/shards/shards.ts'

/** Creates rows of this person in every table that can have any. */
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

/** The tables that still have a row of this user. */
async function tablesNaming({ platform: { meta, shards } }: Service, userId: string) {
  const inShards = ['feedbacks', 'notification_reads', 'credit_balance', 'credit_entries'] as const
  const inMeta = ['account', 'session', 'user_shards', 'api_grant'] as const
  const found: string[] = []
  for (const shard of shards.values())
    for (const table of inShards) {
      const rows = await shard.selectFrom(table).selectAll().where('user_id', '=', userId).execute()
      if (rows.length > 0) found.push(table)
    }
  for (const table of inMeta) {
    const rows = await meta.selectFrom(table).selectAll().where('user_id', '=', userId).execute()
    if (rows.length > 0) found.push(table)
  }
  return found.toSorted()
}

describe('list_users', () => {
  it('finds by part of the address or name, by id, by time', async ({ service, administrator, ann }) => {
    const list = (filter?: object) => administrator.post('/api/admin/list_users', filter)
    const all = await list()
    const found = []
    for (const filter of [
      { search: 'BEN@' },
      { search: ann.id },
      { search: '%' },
      { created_at_start: service.clock.now() + 1 },
    ])
      found.push(await list(filter))
    const past = await list({ page: 2 })

    assert.equal(all.body.total, 3)
    assert.deepEqual(eachOf(all, 'email').toSorted(), ['admin@example.com', 'ann@example.com', 'ben@example.com'])
    assert.deepEqual(
      found.map((answer) => [eachOf(answer, 'email'), answer.body.total]),
      [
        [['ben@example.com'], 1],
        [['ann@example.com'], 1],
        [[], 0],
        [[], 0],
      ],
    )
    assert.deepEqual(past.body, { items: [], total: 3 })
    assert.doesNotMatch(JSON.stringify(all.body), /hash|token/)
  })
})

describe('get_user', () => {
  it('shows accounts, sessions, grants, shard, balance and feedbacks', async ({ administrator, ann }) => {
    await leaveTraces(ann, administrator)

    const { status, body } = await administrator.post('/api/admin/get_user', { id: ann.id })

    assert.deepEqual([status, body.email, body.shard_id], [200, 'ann@example.com', 'apac-1'])
    assert.deepEqual([body.accounts.length, body.accounts[0].provider], [1, 'credential'])
    assert.deepEqual([body.sessions.length, body.grants, body.balance, body.feedbacks], [1, [], 0, 2])
    assert.match(body.beta_code.code, /-/)
    assert.doesNotMatch(JSON.stringify(body), /hash|ghs_/)
  })

  it('leaves out only what is in a shard that is down', async ({ service, administrator, ann }) => {
    const shard = getShard(service.platform, 'apac-1')
    Object.assign(shard, { snapshot: () => Promise.reject(new StoreUnavailable('apac-1')) })

    const { status, body } = await administrator.post('/api/admin/get_user', { id: ann.id })

    assert.deepEqual([status, body.email, body.shard_id], [200, ann.email, 'apac-1'])
    assert.deepEqual([body.sessions.length, body.balance, body.feedbacks], [1, null, null])
  })

  it('is 404 for an unknown user', async ({ administrator }) => {
    for (const path of ['get_user', 'revoke_user_sessions', 'delete_user'])
      assertRefused(await administrator.post(`/api/admin/${path}`, { id: 'nobody' }), 'NOT_FOUND')
  })
})

describe('a signup reward that no sign-up has booked, because addresses must be verified', () => {
  it.override('settings', {
    ...WITH_MAIL,
    authentication: { email_verification_required: true },
    credits: { signup_reward_enabled: true, signup_reward_amount: 25 },
  })

  it('is in get_user and export_account if nobody has read the balance yet', async ({ service }) => {
    const { email, password } = service.administrator
    const administrator = new Person(service, email, password)
    await administrator.signIn()
    const [carl, dora] = [stranger(service), stranger(service, 'dora@example.com')]
    for (const person of [carl, dora]) {
      await person.signUp()
      await administrator.post('/api/admin/mark_verified', { id: person.id })
      await person.signIn()
    }

    const shown = await administrator.post('/api/admin/get_user', { id: carl.id })
    const { body: exported } = await dora.post('/api/export_account')

    assert.equal(shown.body.balance, 25)
    assert.deepEqual([exported.credits.balance, exported.credits.entries.length], [25, 1])
  })
})

describe('revoke_user_sessions', () => {
  it('signs out this user everywhere at once, and no other', async ({ service, administrator, ann, ben }) => {
    await inNewBrowser(service, ann).signIn()

    const { body } = await administrator.post('/api/admin/revoke_user_sessions', { id: ann.id })

    assert.deepEqual(body, { count: 2 })
    const answers = [await ann.post('/api/list_notifications'), await ben.post('/api/list_notifications')]
    assert.deepEqual(statuses(answers), [401, 200])
  })
})

describe('delete_user', () => {
  it('takes effect at once, in the shard by the job, with exact totals', async ({
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
    const before = await tablesNaming(service, ann.id)
    await service.runJob('erasure')

    assert.deepEqual([status, body, refused.status], [200, {}, 401])
    assert.deepEqual(before, ['credit_balance', 'feedbacks', 'notification_reads'])
    assert.deepEqual(await tablesNaming(service, ann.id), [])
    const entries = await administrator.post('/api/admin/list_audit_entries', { subject_id: ann.id })
    assert.equal(eachOf(entries, 'action').filter((action) => action === 'user.erased').length, 1)
    const left = await administrator.post('/api/admin/list_notifications')
    assert.deepEqual(eachOf(left, 'title').toSorted(), ['For all', 'For one'])
    for (const [filter, total] of [
      [{}, 2],
      [{ type: 'idea' }, 1],
      [{ type: 'bug' }, 1],
      [{ user_id: ann.id }, 0],
      [{ user_id: ben.id }, 2],
    ] as const) {
      const { body: feedbacks } = await administrator.post('/api/admin/list_feedbacks', filter)
      assert.deepEqual([feedbacks.total, feedbacks.items.length], [total, total])
    }
  })

  it('erases in batches; totals are exact after each', async ({ service, administrator, ann, ben }) => {
    const shard = getShard(service.platform, 'apac-1')
    await fillShard(shard, ann.id, 2 * ERASED_AT_ONCE + 1)
    await leaveTraces(ben, administrator)

    const totalOf = async (filter: object = {}) =>
      (await administrator.post('/api/admin/list_feedbacks', filter)).body.total

    const lefts: number[] = []
    for (let isMore = true; isMore; ) {
      isMore = await shard.decide([], (decision) => eraseSome(shard, ann.id, decision))
      lefts.push(await totalOf({ user_id: ann.id }))
      const rows = await shard.selectFrom('feedbacks').select('type').execute()
      for (const type of ['idea', 'bug'])
        assert.equal(await totalOf({ type }), rows.filter((row) => row.type === type).length)
    }

    assert.deepEqual(lefts, [ERASED_AT_ONCE + 1, 1, 0])
    assert.equal(await totalOf(), 2)
  })

  it('is resumed after a stop, and ends with one log entry', async ({ service, administrator, ann }) => {
    await leaveTraces(ann, administrator)
    await administrator.post('/api/admin/delete_user', { id: ann.id })

    await Promise.all([1, 2, 3].map(() => service.runJob('erasure')))
    await service.platform.meta.updateTable('erasure').set({ done_at: null }).execute()
    await service.platform.meta.deleteFrom('event').where('action', '=', 'user.erased').execute()
    await service.runJob('erasure')

    const { body } = await administrator.post('/api/admin/list_audit_entries', { action: 'user.erased' })
    assert.equal(body.total, 1)
    assert.deepEqual(await tablesNaming(service, ann.id), [])
  })

  it('frees the address for a new user, who gets nothing of the old one', async ({ service, administrator, ann }) => {
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
    assertRefused(await administrator.post('/api/admin/delete_user', { id: administrator.id }), 'FORBIDDEN')
  })
})

describe('export_account', () => {
  it('returns all that is stored about the caller, and no secret', async ({ administrator, ann, ben }) => {
    await leaveTraces(ann, administrator)
    await leaveTraces(ben, administrator)

    const { status, body } = await ann.post('/api/export_account')

    assert.deepEqual([status, body.user.email, body.user.sessions.length], [200, 'ann@example.com', 1])
    assert.deepEqual(eachOf({ body: { items: body.feedbacks } }, 'content'), ['Mine', 'Mine too'])
    assert.deepEqual(body.notifications.read, ['anything'])
    assert.equal(body.notifications.targeted.length, 1)
    assert.deepEqual(body.credits, { balance: 0, entries: [] })
    assert.doesNotMatch(JSON.stringify(body), /hash|ghs_|ben@example/)
  })
})
