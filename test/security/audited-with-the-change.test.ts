import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { describe, it } from 'vitest'
import { recordAudit } from '../../src/features/audit/audit.ts'
import { addShard } from '../../src/features/shards/shards.ts'
import { openPatiently, whileHeld, whileUserIsHeld } from '../postgres/held-user.ts'
import { register } from '../service/applications.ts'
import { changeSettings } from '../service/change-settings.ts'
import { addPasskey, SecurityKey } from '../service/devices/security-key.ts'
import { Person, people, stranger } from '../service/people.ts'
import { type Service, startService } from '../service/service.ts'
import { serviceWithMail } from '../service/with-mail.ts'

const NOBODY = { id: null, address: null }
const INVITED = 'dora@example.com'
const SCOPE = 'product:wiki:read'

interface Case {
  /** Fails with a message if the act was refused. */
  act(): Promise<unknown>
  /** What the act changes. */
  state(): Promise<unknown>
}

type Prepare = (service: Service, by: Awaited<ReturnType<typeof people>>) => Promise<Case>

/** By the action of its entry. */
const CASES: Readonly<Record<string, Prepare>> = {
  'product_scope.delete': async (_service, { administrator }) => {
    await administrator.post('/api/admin/declare_product_scope', { scope: SCOPE, description: 'Read pages' })
    return {
      act: () => done(administrator, '/api/admin/delete_product_scope', { scope: SCOPE }),
      state: () => shown(administrator, '/api/admin/list_product_scopes'),
    }
  },
  'shard.update': async (_service, { administrator }) => ({
    act: () => done(administrator, '/api/admin/update_shard', { id: 'oc-1', state: 'draining' }),
    state: () => shown(administrator, '/api/admin/list_shards'),
  }),
  'shard.add': async ({ platform }, { administrator }) => {
    await platform.meta.deleteFrom('shards').where('id', '=', 'oc-1').execute()
    return {
      act: async () => assert.equal(await addShard(platform, NOBODY, 'oc-1'), true),
      state: () => shown(administrator, '/api/admin/list_shards'),
    }
  },
  'factor.rename': async ({ config }, { ann }) => {
    const { body } = await addPasskey(ann, new SecurityKey(config.baseUrl))
    return {
      act: () => done(ann, '/api/auth/passkey/update-passkey', { id: body.id, name: 'My phone' }),
      state: async () => (await ann.get('/api/auth/passkey/list-user-passkeys')).body,
    }
  },
  'user.verify_email': async ({ mail }, { administrator, ann }) => {
    const { email } = ann
    await ann.post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })
    const otp = await mail.codeFor(email)
    return {
      act: () => done(ann, '/api/auth/email-otp/verify-email', { email, otp }),
      state: () => shown(administrator, '/api/admin/get_user', { id: ann.id }),
    }
  },
  'user.reset_password': async (service, { ann }) => {
    const { email } = ann
    await ann.post('/api/auth/email-otp/request-password-reset', { email })
    const otp = await service.mail.codeFor(email)
    const chosen = new Person(service, email, 'a heron on the pier')
    return {
      act: () => done(ann, '/api/auth/email-otp/reset-password', { email, otp, password: chosen.password }),
      state: async () => (await chosen.signIn()).status,
    }
  },
  'user.accept_invitation': async ({ mail }, { administrator }) => {
    const email = INVITED
    const { body } = await administrator.post('/api/admin/invite_user', { email })
    const link = await mail.linkFor(email)
    const sent = { email, link, password: 'a heron on the pier' }
    return {
      act: () => done(administrator, '/api/auth/accept-invitation', sent),
      state: () => shown(administrator, '/api/admin/get_user', { id: body.id }),
    }
  },
}

/** Acts on something that another request can delete. */
const ON_SUBJECTS = [
  { action: 'application.update', path: 'update_application', fields: { name: 'Wiki' }, of: 'application' },
  { action: 'application.rotate_secret', path: 'rotate_application_secret', fields: {}, of: 'application' },
  {
    action: 'notification.update',
    path: 'update_notification',
    fields: { title: 'Two' },
    of: 'notifications',
  },
  { action: 'notification.archive', path: 'archive_notification', fields: {}, of: 'notifications' },
  { action: 'notification.restore', path: 'restore_notification', fields: {}, of: 'notifications' },
] as const

/** Acts on a user whom another request can delete. */
const ON_USERS: readonly { readonly action: string; readonly path: string; readonly fields?: object }[] = [
  { action: 'user.revoke_sessions', path: 'revoke_user_sessions' },
  { action: 'factor.reset', path: 'remove_factors' },
  { action: 'user.send_reset', path: 'send_password_reset' },
  { action: 'user.suspend', path: 'suspend_user', fields: { reason: 'spam' } },
  { action: 'user.restore', path: 'restore_user' },
  { action: 'user.mark_verified', path: 'mark_verified' },
]

describe('checklist 102: an action and its entry in the audit log', () => {
  for (const [action, prepare] of Object.entries(CASES)) {
    it(`${action} is not done if its entry cannot be written, and is recorded once when it is done`, async () => {
      await using service = await serviceWithMail()
      const { act, state } = await prepare(service, await people(service))
      const before = await state()

      const allow = await forbidEntries(service, action)
      await assert.rejects(act)
      const afterFailure = await state()
      await allow()
      await act()

      assert.deepEqual(afterFailure, before)
      assert.notDeepEqual(await state(), before)
      assert.equal(await entries(service, action), 2)
    })
  }

  it('product_scope.delete is recorded once when twenty requests arrive together', async () => {
    await using service = await serviceWithMail()
    const { administrator } = await people(service)
    await administrator.post('/api/admin/declare_product_scope', { scope: SCOPE, description: 'Read pages' })

    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        administrator.post('/api/admin/delete_product_scope', { scope: SCOPE }),
      ),
    )

    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(19).fill(404)])
    assert.equal(await entries(service, 'product_scope.delete'), 1)
  })

  it('application.delete is recorded once when twenty requests arrive together', async () => {
    await using service = await serviceWithMail()
    const { administrator } = await people(service)
    const { id } = await register(administrator)

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => administrator.post('/api/admin/delete_application', { id })),
    )

    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(19).fill(404)])
    assert.equal(await entries(service, 'application.delete'), 1)
  })

  for (const { action, path, fields, of } of ON_SUBJECTS)
    it(`${action} leaves one only if it is done, also if its subject is deleted while it waits`, async () => {
      await using service = await startService({ open: openPatiently })
      const { administrator, ann } = await people(service)
      const note = { title: 'One', content: '1', target_user_id: ann.id }
      const ids = {
        application: (await register(administrator)).id,
        notifications: (await administrator.post('/api/admin/create_notification', note)).body.id,
      }
      const id = ids[of]
      const deletion = of === 'application' ? 'delete_application' : 'delete_user'
      const deleted = of === 'application' ? id : ann.id

      const held = { sql: `select from "${of}" where id = $1 for update`, values: [id] }
      const answers = await whileHeld(service, held, [
        () => administrator.post(`/api/admin/${deletion}`, { id: deleted }),
        () => administrator.post(`/api/admin/${path}`, { id, ...fields }),
      ])

      const [deletedStatus, status] = answers.map((answer) => answer.status)
      assert.equal(deletedStatus, 200)
      assert.ok(status === 404 || status === 200, `answered ${status}`)
      assert.equal(await entries(service, action), status === 200 ? 1 : 0)
    })

  it('session.revoke is recorded once, with one letter, when one session ends all of them twenty times', async () => {
    await using service = await serviceWithMail()
    const { ann } = await people(service)
    const before = (await service.mail.sentTo(ann.email)).length

    const answers = await Promise.all(Array.from({ length: 20 }, () => ann.post('/api/auth/revoke-sessions')))

    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(19).fill(401)])
    assert.equal(await entries(service, 'session.revoke'), 1)
    assert.equal((await service.mail.sentTo(ann.email)).length, before + 1)
  })

  it('session.revoke is recorded for one of two sessions that end each other at once', async () => {
    await using service = await startService({ open: openPatiently })
    const { ann } = await people(service)
    const elsewhere = new Person(service, ann.email, ann.password)
    await elsewhere.signIn()

    const answers = await whileUserIsHeld(
      service,
      ann.id,
      [ann, elsewhere].map((from) => () => from.post('/api/auth/revoke-other-sessions')),
    )

    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401])
    assert.equal(await entries(service, 'session.revoke'), 1)
  })

  for (const [path, action] of [
    ['create_user', 'user.create'],
    ['invite_user', 'user.invite'],
  ] as const)
    it(`${action} is recorded for the one of twenty requests with one address that makes the user`, async () => {
      await using service = await serviceWithMail()
      const { administrator } = await people(service)
      const email = INVITED

      const answers = await Promise.all(
        Array.from({ length: 20 }, () => administrator.post(`/api/admin/${path}`, { email })),
      )

      const done = answers.filter(({ status }) => status === 200)
      assert.ok(done.length >= 1)
      assert.equal(await entries(service, action), done.length)
      assert.equal((await service.mail.sentTo(email)).length, path === 'invite_user' ? done.length : 0)
    })

  for (const { action, path, fields } of ON_USERS)
    it(`${action} leaves none, and no letter, if the user is deleted while it waits`, async () => {
      await using service = await startService({ open: openPatiently })
      await changeSettings(service, 'email', { provider: 'smtp' })
      const { administrator } = await people(service)
      const id = await invited(administrator)
      const queued = () => service.platform.meta.selectFrom('mail_queue').select('id').execute()
      const before = (await queued()).length

      const answers = await whileUserIsHeld(service, id, [
        () => administrator.post('/api/admin/delete_user', { id }),
        () => administrator.post(`/api/admin/${path}`, { id, ...fields }),
      ])

      assert.deepEqual(
        answers.map((answer) => answer.status),
        [200, 404],
      )
      assert.equal(await entries(service, action), 0)
      assert.equal((await queued()).length, before)
    })

  it('user.invite is about a new user if the one who was invited is deleted while a second invitation waits', async () => {
    await using service = await startService({ open: openPatiently })
    await changeSettings(service, 'email', { provider: 'smtp' })
    const { administrator } = await people(service)
    const id = await invited(administrator)

    const [deleted, again] = await whileUserIsHeld(service, id, [
      () => administrator.post('/api/admin/delete_user', { id }),
      () => administrator.post('/api/admin/invite_user', { email: INVITED }),
    ])

    assert.deepEqual([deleted?.status, again?.status], [200, 200])
    assert.notEqual(again?.body.id, id)
    assert.deepEqual(await subjects(service, 'user.invite'), [id, again?.body.id])
  })

  it('shard.add is recorded once when twenty requests arrive together', async () => {
    await using service = await serviceWithMail()
    await service.platform.meta.deleteFrom('shards').where('id', '=', 'oc-1').execute()

    const added = await Promise.all(
      Array.from({ length: 20 }, () => addShard(service.platform, NOBODY, 'oc-1')),
    )

    assert.equal(added.filter(Boolean).length, 1)
    assert.equal(await entries(service, 'shard.add'), 1)
  })

  it('a wrong code leaves none', async () => {
    await using service = await serviceWithMail()
    const carl = stranger(service)
    await carl.signUp()
    const { email } = carl
    await carl.post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })

    await carl.post('/api/auth/email-otp/verify-email', { email, otp: 'wrong' })

    assert.equal(await entries(service, 'user.verify_email'), 0)
  })
})

/** There is one entry of this action, and from now on no second one. Returns what allows more again. */
async function forbidEntries({ platform }: Service, action: string) {
  const { meta } = platform
  await recordAudit(platform, NOBODY, { action })
  await sql`create unique index one_entry on event (action) where action = ${sql.lit(action)}`.execute(meta)
  return () => sql`drop index one_entry`.execute(meta)
}

async function entries({ platform }: Service, action: string): Promise<number> {
  const rows = await platform.meta.primary
    .selectFrom('event')
    .select('id')
    .where('action', '=', action)
    .execute()
  return rows.length
}

async function subjects({ platform }: Service, action: string) {
  const rows = await platform.meta.primary
    .selectFrom('event')
    .select('subject_id')
    .where('action', '=', action)
    .orderBy('id')
    .execute()
  return rows.map(({ subject_id }) => subject_id)
}

async function invited(administrator: Person): Promise<string> {
  return (await administrator.post('/api/admin/invite_user', { email: INVITED })).body.id
}

async function done(person: Person, path: string, body: object): Promise<void> {
  const { status, body: answer } = await person.post(path, body)
  assert.equal(status, 200, JSON.stringify(answer))
}

async function shown(person: Person, path: string, body: object = {}): Promise<unknown> {
  return (await person.post(path, body)).body
}
