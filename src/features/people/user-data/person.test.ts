import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, eachOf, statuses } from '../../../../test/service/answers.ts'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { it } from '../../../../test/service/it.ts'
import { endMoves } from '../../../../test/service/stores/shard-moves.ts'
import { type Shard, StoreUnavailable } from '../../../database/store.ts'
import { moveUserTo } from '../../tenancy/moves/by-administrator.ts'

describe('give_credits', () => {
  it('is in balance, ledger and log, once for each key', async ({ service, administrator, ann }) => {
    const gift = { id: ann.id, amount: 250, note: 'For the bug report' }

    for (let i = 0; i < 2; i++) {
      const { status, body } = await administrator.post('/api/admin/give_credits', gift, {
        'idempotency-key': 'first',
      })
      assert.deepEqual([status, body], [200, { balance: 250 }])
    }

    const { body: listed } = await administrator.post('/api/admin/list_user_credits', { id: ann.id })
    const [{ amount, balance_after, source_type }] = listed.items
    assert.deepEqual([listed.total, amount, balance_after, source_type], [1, 250, 250, 'administrator'])
    assert.equal((await ann.post('/api/get_credit_summary')).body.balance, 250)
    await service.runJob('events')
    const entries = await administrator.post('/api/admin/list_audit_entries', { action: 'credit.give' })
    assert.deepEqual(eachOf(entries, 'subject_id'), [ann.id])
    assert.deepEqual(eachOf(entries, 'details'), [{ amount: 250, note: 'For the bug report' }])
    const { body: events } = await administrator.post('/api/admin/list_events', { types: ['credit.granted'] })
    assert.deepEqual([events.items[0].user_id, events.items[0].data.amount], [ann.id, 250])
  })

  it('refuses an unknown user and an invalid amount', async ({ administrator, ann }) => {
    const give = (id: string, amount: number) => administrator.post('/api/admin/give_credits', { id, amount })

    assertRefused(await give('nobody', 1), 'NOT_FOUND')
    assertRefused(await administrator.post('/api/admin/list_user_credits', { id: 'nobody' }), 'NOT_FOUND')
    for (const amount of [0, -5, 1.5, 2_000_000_000])
      assertRefused(await give(ann.id, amount), 'INVALID_REQUEST', 'amount')
  })
})

it('mark_verified writes one log entry and one event', async ({ service, administrator, ann: { id } }) => {
  const answers = [
    await administrator.post('/api/admin/mark_verified', { id }),
    await administrator.post('/api/admin/mark_verified', { id }),
  ]

  assert.deepEqual(statuses(answers), [200, 200])
  assert.equal((await administrator.post('/api/admin/get_user', { id })).body.email_verified, true)
  const entries = await administrator.post('/api/admin/list_audit_entries', {
    action: 'user.mark_verified',
  })
  assert.deepEqual(eachOf(entries, 'subject_id'), [id])
  await service.runJob('events')
  const events = await administrator.post('/api/admin/list_events', { types: ['user.verified'] })
  assert.deepEqual(eachOf(events, 'user_id'), [id])
})

describe('send_password_reset', () => {
  it('sends the mail that a user can request, if there is a mail provider', async ({ service, administrator, ann }) => {
    const without = await administrator.post('/api/admin/send_password_reset', { id: ann.id })
    await changeSettings(service, 'email', { provider: 'outbox' })

    const { status } = await administrator.post('/api/admin/send_password_reset', { id: ann.id })

    assertRefused(without, 'EMAIL_PROVIDER_UNAVAILABLE')
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

  it('refuses a draining shard, an unknown one and an unknown user', async ({ administrator, ann }) => {
    await administrator.post('/api/admin/update_shard', { id: 'weur-1', state: 'draining' })
    const move = (id: string, shard_id: string) => administrator.post('/api/admin/move_user', { id, shard_id })

    const answers = [await move(ann.id, 'weur-1'), await move(ann.id, 'mars-1'), await move('nobody', 'oc-1')]

    assert.deepEqual(statuses(answers), [400, 404, 404])
  })

  it('is in the log once, under the right name, if a job completes it', async ({ service, administrator, ann }) => {
    const { platform } = service
    const caller = {
      user: { id: administrator.id, name: 'Administrator', role: 'administrator', staff_scopes: null },
    } as const
    const shards = outOfReach(platform.shards, 'weur-1')

    await assert.rejects(moveUserTo({ platform: { ...platform, shards }, caller }, ann.id, 'weur-1'), StoreUnavailable)
    await endMoves(service)

    const { body: user } = await administrator.post('/api/admin/get_user', { id: ann.id })
    const { body: log } = await administrator.post('/api/admin/list_audit_entries', { action: 'user.move' })
    assert.deepEqual([user.shard_id, log.total], ['weur-1', 1])
    const [{ actor_id, details }] = log.items
    assert.deepEqual([actor_id, details], [administrator.id, { from: 'apac-1', to: 'weur-1' }])
  })

  it('moves the user once when requested several times at once; the others can retry', async ({
    service,
    administrator,
    ann,
  }) => {
    const move = () => administrator.post('/api/admin/move_user', { id: ann.id, shard_id: 'weur-1' })

    const answers = await Promise.all([move(), move(), move()])
    await endMoves(service)

    for (const refused of answers.filter(({ status }) => status !== 200)) {
      assertRefused(refused, 'STORE_UNAVAILABLE')
      assert.ok(refused.headers.get('retry-after'))
    }
    const { body: user } = await administrator.post('/api/admin/get_user', { id: ann.id })
    assert.equal(user.shard_id, 'weur-1')
  })
})

/** The shard can be reached when the move begins, and not from then on. */
function outOfReach(shards: ReadonlyMap<string, Shard>, id: string): ReadonlyMap<string, Shard> {
  const left = new Map(shards)
  let asked = 0
  left.get = (name) => (name === id && ++asked > 1 ? undefined : shards.get(name))
  return left
}

describe('the order of lists', () => {
  it('is newest or oldest first; users also by address', async ({ service, administrator, ann, ben }) => {
    for (const [index, person] of [ann, ben, ann].entries()) {
      await person.post('/api/submit_feedback', { type: 'idea', content: `${index}` })
      await administrator.post('/api/admin/generate_beta_codes')
      await administrator.post('/api/admin/create_notification', { title: `${index}`, content: 'News' })
      service.clock.advance({ minutes: 1 })
    }

    for (const list of ['feedbacks', 'beta_codes', 'notifications', 'audit_entries', 'users']) {
      const of = async (order: string) =>
        eachOf(
          await administrator.post(`/api/admin/list_${list}`, { order, page_size: 100 }),
          list === 'beta_codes' ? 'code' : 'id',
        )
      const [newest, oldest] = [await of('newest'), await of('oldest')]
      assert.ok(new Set(newest).size >= 3)
      assert.deepEqual(newest, oldest.toReversed(), list)
    }
    const users = await administrator.post('/api/admin/list_users', { order: 'email' })
    assert.deepEqual(eachOf(users, 'email'), ['admin@example.com', 'ann@example.com', 'ben@example.com'])
  })

  it('is newest first in the audit log of one user, with every actor', async ({ administrator, ann, ben }) => {
    await ben.post('/api/auth/sign-out')
    await ann.post('/api/auth/sign-out')
    await ann.signIn()
    await administrator.post('/api/admin/revoke_user_sessions', { id: ann.id })

    const entries = await administrator.post('/api/admin/list_audit_entries', { user_id: ann.id })

    assert.deepEqual(eachOf(entries, 'action').slice(0, 2), ['user.revoke_sessions', 'user.sign_in'])
    const actors = eachOf(entries, 'actor_id')
    for (const [i, subject] of eachOf(entries, 'subject_id').entries()) assert.ok([subject, actors[i]].includes(ann.id))
  })
})
