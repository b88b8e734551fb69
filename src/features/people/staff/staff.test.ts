import assert from 'node:assert/strict'
import { decodeJwt } from 'jose'
import { describe } from 'vitest'
import { assertRefused, eachOf } from '../../../../test/service/answers.ts'
import { bearer } from '../../../../test/service/applications.ts'
import { addApp } from '../../../../test/service/devices/factors.ts'
import { grantFor } from '../../../../test/service/grants.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { Person, stranger } from '../../../../test/service/people.ts'
import { onStaff, proven } from '../../../../test/service/staff.ts'
import { WITH_MAIL } from '../../../../test/service/with-mail.ts'

const READ = 'admin:users:read'
const WRITE = 'admin:users:write'

const it = withService.extend({ settings: WITH_MAIL })

const getSession = async (person: Person) => (await person.get('/api/auth/get-session')).body

describe('update_staff', () => {
  it('gives a user exactly these scopes, changes them and takes them away', async ({ service, administrator, ann }) => {
    await onStaff(service, administrator, ann, WRITE, READ, READ)
    const { body: first } = await administrator.post('/api/admin/list_staff')
    const read = await ann.post('/api/admin/list_users')
    await administrator.post('/api/admin/update_staff', { user_id: ann.id, scopes: [WRITE] })
    const narrowed = await ann.post('/api/admin/list_users')
    await administrator.post('/api/admin/update_staff', { user_id: ann.id, scopes: [] })
    const { body: last } = await administrator.post('/api/admin/list_staff')

    const since = service.clock.now()
    assert.deepEqual(first, {
      items: [{ user_id: ann.id, email: ann.email, name: ann.email, scopes: [READ, WRITE], since, last_act_at: null }],
      total: 1,
    })
    assert.deepEqual([read.status, last], [200, { items: [], total: 0 }])
    assertRefused(narrowed, 'FORBIDDEN')
  })

  it('lists when a member last acted, but not when they signed in', async ({ service, administrator, ann, ben }) => {
    await onStaff(service, administrator, ann, READ, WRITE)
    const lastAct = async () => eachOf(await administrator.post('/api/admin/list_staff'), 'last_act_at')
    await ann.signIn()
    const before = await lastAct()
    service.clock.advance({ seconds: 5 })
    await ann.post('/api/admin/revoke_user_sessions', { id: ben.id })

    assert.deepEqual([before, await lastAct()], [[null], [service.clock.now()]])
  })

  it('is refused to everybody but the administrator in a fresh session', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    await onStaff(service, administrator, ann, READ, WRITE)
    const tool = await grantFor(administrator, READ, WRITE)
    const asked = [
      ['/api/admin/update_staff', { user_id: ann.id, scopes: [READ] }],
      ['/api/admin/list_staff', {}],
    ] as const

    for (const [path, body] of asked)
      for (const other of [ann, ben, tool]) assertRefused(await other.post(path, body), 'FORBIDDEN')
    service.clock.advance({ minutes: 16 })
    for (const [path, body] of asked) assertRefused(await administrator.post(path, body), 'SESSION_NOT_FRESH')
  })

  it('takes only a living user with a proven address, and only scopes of administration', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const update = (user_id: string, ...scopes: readonly string[]) =>
      administrator.post('/api/admin/update_staff', { user_id, scopes })
    await proven(service, ben)
    await administrator.post('/api/admin/suspend_user', { id: ben.id, reason: 'Spam.' })

    assertRefused(await update(ann.id, READ), 'INVALID_REQUEST', 'user_id')
    assertRefused(await update(ben.id, READ), 'INVALID_REQUEST', 'user_id')
    assertRefused(await update('nobody', READ), 'NOT_FOUND')
    assertRefused(await update(administrator.id, READ), 'FORBIDDEN')
    assertRefused(await update(ann.id, 'account:profile:read'), 'INVALID_REQUEST', 'scopes.0')
  })

  it('an address that the administrator only counts as verified is not proven', async ({ administrator, ann }) => {
    await administrator.post('/api/admin/mark_verified', { id: ann.id })

    const answer = await administrator.post('/api/admin/update_staff', { user_id: ann.id, scopes: [READ] })

    assertRefused(answer, 'INVALID_REQUEST', 'user_id')
  })

  it('takes a hundred members and no more, and still changes one of them', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const { meta, now } = service.platform
    const [row] = await meta.selectFrom('user').selectAll().where('id', '=', ann.id).execute()
    assert.ok(row)
    await onStaff(service, administrator, ann, READ)
    const crowd = Array.from({ length: 99 }, (_, i) => ({
      ...row,
      ...{ id: `member ${i}`, email: `member${i}@example.com`, aff_code: `MEMBER${i}` },
      ...{ staff_scopes: READ, staff_since: now() },
    }))
    await meta.insertInto('user').values(crowd).execute()
    await proven(service, ben)

    assertRefused(
      await administrator.post('/api/admin/update_staff', { user_id: ben.id, scopes: [READ] }),
      'QUOTA_EXCEEDED',
    )
    await onStaff(service, administrator, ann, WRITE)
  })

  it('is in the log with who did it, as events and as letters to both', async ({ service, administrator, ann }) => {
    await onStaff(service, administrator, ann, READ)
    await onStaff(service, administrator, ann, WRITE)
    await administrator.post('/api/admin/update_staff', { user_id: ann.id, scopes: [] })
    await service.runJob('events')

    const log = await administrator.post('/api/admin/list_audit_entries', { subject_id: ann.id, order: 'oldest' })
    const { body } = await administrator.post('/api/admin/list_events', {
      types: ['staff.added', 'staff.updated', 'staff.removed'],
    })
    const by = administrator.id
    assert.deepEqual(eachOf(log, 'action').slice(-3), ['staff.add', 'staff.update', 'staff.remove'])
    assert.deepEqual(eachOf(log, 'actor_id').slice(-3), [by, by, by])
    assert.deepEqual(
      body.items.map(({ type, user_id, data }: Record<string, unknown>) => [type, user_id, data]),
      [
        ['staff.added', ann.id, { by, scopes: [READ] }],
        ['staff.updated', ann.id, { by, scopes: [WRITE] }],
        ['staff.removed', ann.id, { by }],
      ],
    )
    for (const [reader, subjects] of [
      [ann, ['You are on the staff', 'Your permissions were changed', 'You are no longer on the staff']],
      [
        administrator,
        ['A staff member was added', 'A staff member’s permissions were changed', 'A staff member was removed'],
      ],
    ] as const) {
      const letters = await service.mail.sentTo(reader.email)
      const sent = letters.map(({ subject }) => subject.split(' – ')[0])
      assert.deepEqual(sent.slice(-3).toSorted(), subjects.toSorted())
    }
  })

  it('without a change writes nothing', async ({ service, administrator, ann, ben }) => {
    await onStaff(service, administrator, ann, READ)
    const total = async () => (await administrator.post('/api/admin/list_audit_entries')).body.total
    const before = await total()

    await administrator.post('/api/admin/update_staff', { user_id: ann.id, scopes: [READ] })
    await administrator.post('/api/admin/update_staff', { user_id: ben.id, scopes: [] })

    assert.equal(await total(), before)
  })
})

describe('a staff member', () => {
  it('is shown as such in the session and in signed tokens, nobody else is', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    await onStaff(service, administrator, ann, READ, WRITE)
    const claims = async (person: Person) => decodeJwt((await person.get('/api/auth/token')).body.token)
    const tool = await grantFor(ann, READ, 'account:profile:read')

    const { body } = await stranger(service).get('/api/auth/token', bearer(tool.tokens.access_token))
    const others = [ben, administrator]
    assert.deepEqual((await getSession(ann)).user.staffScopes, [READ, WRITE])
    assert.deepEqual((await claims(ann)).staff_scopes, [READ, WRITE])
    assert.deepEqual(decodeJwt(body.token).staff_scopes, [READ])
    for (const other of others) {
      assert.equal('staffScopes' in (await getSession(other)).user, false)
      assert.equal('staff_scopes' in (await claims(other)), false)
    }
  })

  it('is removed with the next request in every process', async ({ service, administrator, ann }) => {
    await onStaff(service, administrator, ann, READ)
    const elsewhere = new Person({ request: service.requestElsewhere }, ann.email, ann.password)
    elsewhere.cookies.set('session', ann.cookies.get('session') ?? '')
    const before = await elsewhere.post('/api/admin/list_users')

    await administrator.post('/api/admin/update_staff', { user_id: ann.id, scopes: [] })

    assert.equal(before.status, 200)
    assertRefused(await elsewhere.post('/api/admin/list_users'), 'FORBIDDEN')
  })

  it('works in the administration without an invitation code, and as a user only with one', async ({
    service,
    administrator,
    ann,
  }) => {
    await onStaff(service, administrator, ann, READ)
    await administrator.saveSettings('authentication', { beta_gate_enabled: true })

    assert.equal((await ann.post('/api/admin/list_users')).status, 200)
    assertRefused(await ann.post('/api/list_notifications'), 'BETA_CODE_REQUIRED')
    assertRefused(await ann.post('/api/admin/list_feedbacks'), 'BETA_CODE_REQUIRED')
  })

  it('needs a second factor where the administrator does, and keeps the scopes meanwhile', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    await onStaff(service, administrator, ann, READ)
    await addApp(service, administrator)
    await administrator.saveSettings('authentication', { second_factor: 'required_for_administrator' })
    const without = await ann.post('/api/admin/list_users')
    const { body: listed } = await administrator.post('/api/admin/list_staff')
    await addApp(service, ann)
    await proven(service, ben)

    assertRefused(without, 'SECOND_FACTOR_REQUIRED')
    assert.deepEqual(listed.items[0].scopes, [READ])
    assert.equal((await ann.post('/api/admin/list_users')).status, 200)
    const another = await administrator.post('/api/admin/update_staff', { user_id: ben.id, scopes: [READ] })
    assertRefused(another, 'INVALID_REQUEST', 'user_id')
  })

  it.for(['suspended', 'deleted'] as const)(
    'who is %s is no longer on the staff',
    async (how, { service, administrator, ann }) => {
      await onStaff(service, administrator, ann, READ)
      const [path, more] = how === 'suspended' ? ['suspend_user', { reason: 'Left.' }] : ['delete_user', {}]

      const { status } = await administrator.post(`/api/admin/${path}`, { id: ann.id, ...more })
      await service.runJob('events')

      const { body } = await administrator.post('/api/admin/list_events', { types: ['staff.removed'] })
      assert.equal(status, 200)
      assert.deepEqual(
        body.items.map(({ user_id, data }: Record<string, unknown>) => [user_id, data]),
        [[ann.id, { by: administrator.id }]],
      )
      assert.equal((await administrator.post('/api/admin/list_staff')).body.total, 0)
      if (how === 'deleted') return
      await administrator.post('/api/admin/restore_user', { id: ann.id })
      await ann.signIn()
      assertRefused(await ann.post('/api/admin/list_users'), 'FORBIDDEN')
    },
  )

  it('who deletes the own account is no longer on the staff, and is named as who did it', async ({
    service,
    administrator,
    ann,
  }) => {
    await onStaff(service, administrator, ann, READ)
    await ann.post('/api/auth/delete-user', { password: ann.password })
    await service.runJob('events')

    const { body } = await administrator.post('/api/admin/list_events', { types: ['staff.removed'] })
    assert.deepEqual(eachOf({ body }, 'data'), [{ by: ann.id }])
  })

  it('is named in the log for saved replies and views, which the whole staff shares', async ({
    service,
    administrator,
    ann,
  }) => {
    await onStaff(service, administrator, ann, 'admin:feedback:write', 'admin:users:read')
    const reply = await ann.post('/api/admin/save_reply', { name: 'Thanks', text: 'Thank you.' })
    const view = await ann.post('/api/admin/save_view', { list: 'users', name: 'New', filters: {} })
    await ann.post('/api/admin/delete_reply', { id: reply.body.id })
    await ann.post('/api/admin/delete_view', { id: view.body.id })

    const { body } = await administrator.post('/api/admin/list_audit_entries', { actor_id: ann.id, page_size: 4 })
    const entries: readonly { readonly action: string; readonly details: object }[] = body.items
    assert.deepEqual(
      entries.map(({ action, details }) => [action, details]),
      [
        ['view.delete', { name: 'New' }],
        ['reply.delete', { name: 'Thanks' }],
        ['view.save', { name: 'New' }],
        ['reply.save', { name: 'Thanks' }],
      ],
    )
  })

  it('who handles feedback is named in the inbox and in the log', async ({ service, administrator, ann, ben }) => {
    await onStaff(service, administrator, ann, 'admin:feedback:read', 'admin:feedback:write', 'admin:audit:read')
    const { body: sent } = await ben.post('/api/submit_feedback', { type: 'idea', content: 'Owls' })
    const fresh = eachOf(await ann.post('/api/admin/list_feedbacks'), 'handled_by')
    await ann.post('/api/admin/reply_to_feedback', { id: sent.id, user_id: ben.id, text: 'Thank you.' })

    const handled = eachOf(await administrator.post('/api/admin/list_feedbacks'), 'handled_by')
    await service.runJob('events')
    const log = await ann.post('/api/admin/list_audit_entries', { actor_id: ann.id, action: 'feedback.reply' })
    const { body: own } = await ben.post('/api/list_own_feedbacks')

    assert.deepEqual([fresh, handled], [[null], [{ id: ann.id, name: ann.email }]])
    assert.deepEqual(eachOf(log, 'actor_email'), [ann.email])
    assert.equal('handled_by' in own.items[0], false)
  })
})
