import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { changeSettings } from '../../../test/service/change-settings.ts'
import { it } from '../../../test/service/it.ts'
import { endMoves } from '../../../test/service/stores/shard-moves.ts'

const actionsOf = (body: { readonly items: readonly { readonly action: string }[] }) =>
  body.items.map(({ action }) => action)

describe('give_credits', () => {
  it('adds to balance and ledger, is in the audit log, and counts once for each key', async ({
    service,
    administrator,
    ann,
  }) => {
    const gift = { id: ann.id, amount: 250, note: 'For the bug report' }
    const give = () => administrator.post('/api/admin/give_credits', gift, { 'idempotency-key': 'first' })

    const answers = [await give(), await give()]

    for (const { status, body } of answers) assert.deepEqual([status, body], [200, { balance: 250 }])
    const { body: listed } = await administrator.post('/api/admin/list_user_credits', { id: ann.id })
    assert.equal(listed.total, 1)
    assert.deepEqual(
      [listed.items[0].amount, listed.items[0].balance_after, listed.items[0].source_type],
      [250, 250, 'administrator'],
    )
    assert.equal((await ann.post('/api/get_credit_summary')).body.balance, 250)
    await service.runJob('events')
    const { body: log } = await administrator.post('/api/admin/list_audit_entries', { action: 'credit.give' })
    assert.deepEqual(
      log.items.map(({ subject_id, details }: { subject_id: string; details: unknown }) => [
        subject_id,
        details,
      ]),
      [[ann.id, { amount: 250, note: 'For the bug report' }]],
    )
    const { body: events } = await administrator.post('/api/admin/list_events', { types: ['credit.granted'] })
    assert.deepEqual([events.items[0].user_id, events.items[0].data.amount], [ann.id, 250])
  })

  it('refuses an unknown user, and what is not an amount', async ({ administrator, ann }) => {
    const unknown = await administrator.post('/api/admin/give_credits', { id: 'nobody', amount: 1 })
    const refused = await Promise.all(
      [0, -5, 1.5, 2_000_000_000].map((amount) =>
        administrator.post('/api/admin/give_credits', { id: ann.id, amount }),
      ),
    )
    const ofNobody = await administrator.post('/api/admin/list_user_credits', { id: 'nobody' })

    assert.deepEqual([unknown.status, unknown.body.code], [404, 'NOT_FOUND'])
    for (const { status } of refused) assert.equal(status, 400)
    assert.equal(ofNobody.status, 404)
  })
})

describe('mark_verified', () => {
  it('marks the address as verified, with one entry in the log and one event', async ({
    service,
    administrator,
    ann,
  }) => {
    await administrator.post('/api/admin/mark_verified', { id: ann.id })

    const { status } = await administrator.post('/api/admin/mark_verified', { id: ann.id })

    assert.equal(status, 200)
    const { body: user } = await administrator.post('/api/admin/get_user', { id: ann.id })
    assert.equal(user.email_verified, true)
    const { body: log } = await administrator.post('/api/admin/list_audit_entries', { subject_id: ann.id })
    assert.deepEqual(
      actionsOf(log).filter((action) => action === 'user.mark_verified'),
      ['user.mark_verified'],
    )
    await service.runJob('events')
    const { body: events } = await administrator.post('/api/admin/list_events', { types: ['user.verified'] })
    assert.deepEqual(
      events.items.map(({ user_id }: { user_id: string }) => user_id),
      [ann.id],
    )
  })
})

describe('send_password_reset', () => {
  it('sends the same email that a user can request, and only if there is an email provider', async ({
    service,
    administrator,
    ann,
  }) => {
    const without = await administrator.post('/api/admin/send_password_reset', { id: ann.id })
    await changeSettings(service, 'email', { provider: 'outbox' })

    const { status } = await administrator.post('/api/admin/send_password_reset', { id: ann.id })

    assert.deepEqual([without.status, without.body.code], [400, 'EMAIL_PROVIDER_UNAVAILABLE'])
    assert.equal(status, 200)
    await service.runJob('mail')
    assert.equal((await service.mail.sentTo(ann.email)).length, 1)
  })
})

describe('move_user', () => {
  it("moves the user's rows to a shard that takes users, and records it", async ({ administrator, ann }) => {
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'Mine' })

    const { status } = await administrator.post('/api/admin/move_user', { id: ann.id, shard_id: 'weur-1' })

    assert.equal(status, 200)
    const { body: user } = await administrator.post('/api/admin/get_user', { id: ann.id })
    assert.deepEqual([user.shard_id, user.feedbacks], ['weur-1', 1])
    const { body: log } = await administrator.post('/api/admin/list_audit_entries', { action: 'user.move' })
    assert.deepEqual(log.items[0].details, { from: 'apac-1', to: 'weur-1' })
  })

  it('refuses a shard that takes no users, an unknown shard and an unknown user', async ({
    administrator,
    ann,
  }) => {
    await administrator.post('/api/admin/update_shard', { id: 'weur-1', state: 'draining' })
    const move = (id: string, shard_id: string) =>
      administrator.post('/api/admin/move_user', { id, shard_id })

    const answers = [await move(ann.id, 'weur-1'), await move(ann.id, 'mars-1'), await move('nobody', 'oc-1')]

    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 404, 404],
    )
  })

  it('requested several times at once ends in one move; the others are refused with a hint to look again', async ({
    service,
    administrator,
    ann,
  }) => {
    const move = () => administrator.post('/api/admin/move_user', { id: ann.id, shard_id: 'weur-1' })

    const answers = await Promise.all([move(), move(), move()])
    await endMoves(service)

    for (const { status, body, headers } of answers) {
      if (status === 200) continue
      assert.deepEqual([status, body.code], [503, 'STORE_UNAVAILABLE'])
      assert.ok(headers.get('retry-after'))
    }
    const { body: user } = await administrator.post('/api/admin/get_user', { id: ann.id })
    assert.equal(user.shard_id, 'weur-1')
  })
})

describe('the order of lists', () => {
  it('is newest first, or the other way round; users also by address', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    for (const [index, person] of [ann, ben, ann].entries()) {
      await person.post('/api/submit_feedback', { type: 'idea', content: `${index}` })
      await administrator.post('/api/admin/generate_beta_codes')
      await administrator.post('/api/admin/create_notification', { title: `${index}`, content: 'News' })
      service.clock.advance({ minutes: 1 })
    }

    for (const list of ['feedbacks', 'beta_codes', 'notifications', 'audit_entries', 'users']) {
      const of = async (order: string) => {
        const { body } = await administrator.post(`/api/admin/list_${list}`, { order, page_size: 100 })
        return body.items.map((item: { id?: string; code?: string }) => item.id ?? item.code)
      }
      const [newest, oldest] = [await of('newest'), await of('oldest')]
      assert.ok(newest.length >= 3)
      assert.deepEqual(newest, oldest.reverse(), list)
    }
    const { body } = await administrator.post('/api/admin/list_users', { order: 'email' })
    assert.deepEqual(
      body.items.map(({ email }: { email: string }) => email),
      ['admin@example.com', 'ann@example.com', 'ben@example.com'],
    )
  })

  it('of the audit log can be about one user, whether the user or somebody else acted', async ({
    administrator,
    ann,
    ben,
  }) => {
    await ben.post('/api/auth/sign-out')
    await ann.post('/api/auth/sign-out')
    await ann.signIn()
    await administrator.post('/api/admin/revoke_user_sessions', { id: ann.id })

    const { body } = await administrator.post('/api/admin/list_audit_entries', { concerning: ann.id })

    assert.deepEqual(actionsOf(body).slice(0, 2), ['user.revoke_sessions', 'user.sign_in'])
    assert.ok(
      body.items.every(
        ({ actor_id, subject_id }: { actor_id: string | null; subject_id: string | null }) =>
          actor_id === ann.id || subject_id === ann.id,
      ),
    )
  })
})
