import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../test/service/it.ts'
import { people } from '../../../test/service/people.ts'
import { startService } from '../../../test/service/service.ts'
import { endAuditBefore } from '../events/audited-statements.ts'

describe('the audit log', () => {
  it('shows who did what to what, when and from where', async ({ service, administrator }) => {
    const { body } = await administrator.post('/api/admin/create_notification', { title: 'T', content: 'C' })

    const { body: log } = await administrator.post('/api/admin/list_audit_entries', {
      action: 'notification.create',
    })

    assert.equal(log.total, 1)
    assert.deepEqual(log.items[0], {
      id: log.items[0].id,
      created_at: service.clock.now(),
      action: 'notification.create',
      actor_id: administrator.id,
      actor_email: 'admin@example.com',
      subject_type: 'notification',
      subject_id: body.id,
      subject_email: null,
      ip: '127.0.0.1',
      details: { type: 'system', title: 'T', target_user_id: null },
    })
  })

  it('names the user to whom it was done by address, until the user is deleted', async ({
    administrator,
    ann,
  }) => {
    const emailOf = async () => {
      const { body } = await administrator.post('/api/admin/list_audit_entries', { action: 'user.suspend' })
      return body.items.map((entry: { subject_email: string | null }) => entry.subject_email)
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
    const list = async (filter: object) => {
      const { body } = await administrator.post('/api/admin/list_audit_entries', filter)
      return [body.total, body.items.map(({ action }: { action: string }) => action)]
    }
    const sinceStart = { created_at_start: start + 1 }

    assert.deepEqual(await list(sinceStart), [2, ['user.revoke_sessions', 'beta_codes.generate']])
    assert.deepEqual(await list({ ...sinceStart, page_size: 1, page: 2 }), [2, ['beta_codes.generate']])
    assert.deepEqual(await list({ ...sinceStart, page: 7 }), [2, []])
    assert.deepEqual(await list({ action: 'beta_codes.generate' }), [1, ['beta_codes.generate']])
    assert.deepEqual(await list({ ...sinceStart, actor_id: administrator.id, subject_type: 'user' }), [
      1,
      ['user.revoke_sessions'],
    ])
    assert.deepEqual(await list({ action: 'user.revoke_sessions', subject_id: ann.id }), [
      1,
      ['user.revoke_sessions'],
    ])
    assert.deepEqual(await list({ actor_id: 'nobody' }), [0, []])
  })

  it('is kept for as long as the deployment says', async () => {
    await using service = await startService({ env: { AUDIT_RETENTION_DAYS: '30' } })
    const { administrator } = await people(service)
    await administrator.post('/api/admin/generate_beta_codes')
    const count = async () =>
      (await administrator.post('/api/admin/list_audit_entries', { action: 'beta_codes.generate' })).body
        .total

    service.clock.advance({ days: 29, hours: 23 })
    await service.runJob('audit-sweep')
    const kept = await count()
    service.clock.advance({ hours: 2 })
    await administrator.signIn()
    await service.runJob('audit-sweep')
    const swept = await count()

    assert.deepEqual([kept, swept], [1, 0])
  })

  it('is deleted in parts, however many entries expire at once', async () => {
    await using service = await startService({ env: { AUDIT_RETENTION_DAYS: '30' } })
    const { meta } = service.platform
    const row = (i: number) => ({ id: `old ${i}`, created_at: i, action: 'an act', details: '{}' })
    for (let first = 0; first < 2_500; first += 500)
      await meta
        .insertInto('event')
        .values(Array.from({ length: 500 }, (_, i) => row(first + i)))
        .execute()

    const ended = await meta.batch(endAuditBefore(meta, 2_400, 10))
    await service.runJob('audit-sweep')

    const left = await meta.selectFrom('event').select('id').where('action', '=', 'an act').execute()
    assert.deepEqual([ended.most(), left.length], [10, 0])
  })

  it('checklist 98: is listed with a total of the same moment, also while entries are written', async ({
    administrator,
  }) => {
    const write = () => administrator.post('/api/admin/generate_beta_codes', { count: 1 })
    const list = () => administrator.post('/api/admin/list_audit_entries', { page_size: 100 })

    const lists = await Promise.all(Array.from({ length: 40 }, () => [list(), write(), list()]).flat())

    for (const { status, body } of lists.filter(({ body }) => 'items' in body))
      assert.deepEqual([status, body.items.length], [200, body.total])
  })
})
