import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { eachOf } from '../../../../test/service/answers.ts'
import { register } from '../../../../test/service/applications.ts'
import { grantFor } from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'
import { Person } from '../../../../test/service/people.ts'
import { endAuditBefore } from '../events/audited-statements.ts'

describe('the audit log', () => {
  it('shows who did what to what, when and from where', async ({ service, administrator }) => {
    const { body } = await administrator.post('/api/admin/create_notification', { title: 'T', content: 'C' })

    const { items, total } = await logged(administrator, { action: 'notification.create' })

    assert.equal(total, 1)
    assert.deepEqual(items[0], {
      id: items[0].id,
      created_at: service.clock.now(),
      action: 'notification.create',
      actor_id: administrator.id,
      actor_email: 'admin@example.com',
      subject_type: 'notification',
      subject_id: body.id,
      subject_email: null,
      organization_id: null,
      subject_name: 'T',
      ip: '127.0.0.1',
      details: { type: 'system', title: 'T', target_user_id: null },
    })
  })

  it('names a connection, an application, a webhook and a notification as they are called now', async ({
    administrator,
    ann,
  }) => {
    await grantFor(ann, 'account:profile:read')
    const { id: grant } = (await ann.post('/api/list_grants')).body.items[0]
    await ann.post('/api/update_grant', { id: grant, daily_limit: 9 })
    const { id } = await register(administrator, { name: 'Shop' })
    await administrator.post('/api/admin/update_application', { id, name: 'Corner Shop' })
    await administrator.post('/api/admin/create_webhook', { url: 'https://example.com/a-secret-path' })
    const nameOf = async (action: string) => (await logged(administrator, { action })).items[0].subject_name

    assert.equal(await nameOf('grant.update'), 'Command-line client')
    assert.equal(await nameOf('application.create'), 'Corner Shop')
    assert.equal(await nameOf('webhook.create'), 'https://example.com/…')
    await administrator.post('/api/admin/delete_application', { id })
    assert.equal(await nameOf('application.create'), null)
  })

  it('names the affected user by address, until the user is deleted', async ({ administrator, ann }) => {
    const emailOf = async () => {
      const body = await logged(administrator, { action: 'user.suspend' })
      return eachOf({ body }, 'subject_email')
    }
    await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'Too many bells' })

    const before = await emailOf()
    await administrator.post('/api/admin/delete_user', { id: ann.id })

    assert.deepEqual([before, await emailOf()], [['ann@example.com'], [null]])
  })

  it('filters by action, actor, subject and time, newest first, with a stable total', async ({
    service,
    administrator,
    ann,
  }) => {
    const start = service.clock.now()
    service.clock.advance({ seconds: 1 })
    await administrator.post('/api/admin/generate_beta_codes')
    service.clock.advance({ seconds: 1 })
    await administrator.post('/api/admin/revoke_user_sessions', { id: ann.id })
    const sinceStart = { created_at_start: start + 1 }
    const [made, revoked] = ['beta_codes.generate', 'user.revoke_sessions']

    for (const [filter, total, actions] of [
      [sinceStart, 2, [revoked, made]],
      [{ ...sinceStart, page_size: 1, page: 2 }, 2, [made]],
      [{ ...sinceStart, page: 7 }, 2, []],
      [{ action: made }, 1, [made]],
      [{ ...sinceStart, actor_id: administrator.id, subject_type: 'user' }, 1, [revoked]],
      [{ action: revoked, subject_id: ann.id }, 1, [revoked]],
      [{ actor_id: 'nobody' }, 0, []],
    ] as const) {
      const body = await logged(administrator, filter)
      assert.deepEqual([body.total, eachOf({ body }, 'action')], [total, actions], JSON.stringify(filter))
    }
  })

  it('has the browser of a refused sign-up', async ({ service, administrator, ann }) => {
    service.clock.advance({ minutes: 2 })
    const taken = { email: ann.email, password: 'a lantern in the harbour', name: 'Not Ann' }
    await ann.post('/api/auth/sign-up/email', taken, { 'user-agent': 'Lynx' })

    const { items } = await logged(administrator, { action: 'user.sign_up_refused' })

    assert.deepEqual(items[0]?.details, { code: 'USER_ALREADY_EXISTS', user_agent: 'Lynx' })
  })

  it('finds a refused sign-in by the mistyped address, which it shows masked', async ({
    service,
    administrator,
    ann,
  }) => {
    const typo = new Person(service, 'tanja.ann@exmaple.org', 'a lantern in the harbour')
    await typo.signIn()
    await new Person(service, ann.email, 'not the password').signIn()
    const search = async (address: string) => {
      const { items, total } = await logged(administrator, {
        search: address,
        action: 'user.sign_in_refused',
      })
      return [total, ...eachOf({ body: { items } }, 'details')]
    }
    const details = (address: string) => ({
      provider: 'credential',
      code: 'INVALID_EMAIL_OR_PASSWORD',
      address,
    })

    const found = [await search(' Tanja.Ann@exmaple.org'), await search(ann.email), await search('t')]
    await administrator.post('/api/admin/delete_user', { id: ann.id })
    const stored = await service.platform.meta.selectFrom('refused_address').selectAll().execute()

    assert.deepEqual(found, [[1, details('t…@exmaple.org')], [1, details('a…@example.com')], [0]])
    assert.deepEqual(await search(ann.email), [0])
    assert.equal(stored.length, 1)
    assert.ok(!JSON.stringify([await logged(administrator, {}), stored]).includes('tanja.ann'))
  })

  it('is deleted in parts, however many entries expire at once', async ({ service }) => {
    const { meta } = service.platform
    const row = (i: number) => ({ id: `old ${i}`, created_at: i, action: 'an act', details: '{}' })
    for (let first = 0; first < 2_500; first += 500) {
      const rows = Array.from({ length: 500 }, (_, i) => row(first + i))
      await meta.insertInto('event').values(rows).execute()
    }

    const ended = await meta.batch(endAuditBefore(meta, 2_400, 10))
    await service.runJob('audit-sweep')

    const left = await meta.selectFrom('event').select('id').where('action', '=', 'an act').execute()
    assert.deepEqual([ended.most(), left.length], [10, 0])
  })
})

async function logged(administrator: Person, filter: object) {
  return (await administrator.post('/api/admin/list_audit_entries', filter)).body
}
