import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { describe } from 'vitest'
import { rowOf } from '../../src/features/ground/acts/acts.ts'
import { insertEvents } from '../../src/features/ground/events/statements.ts'
import { addShard } from '../../src/features/tenancy/shards/shards.ts'
import type { Action } from '../../src/rules/acts.ts'
import { openPatiently, whileHeld, whileUserIsHeld } from '../postgres/held-user.ts'
import { statuses } from '../service/answers.ts'
import { register } from '../service/applications.ts'
import { addPasskey, SecurityKey } from '../service/devices/security-key.ts'
import { it as withService } from '../service/it.ts'
import { Person } from '../service/people.ts'
import type { Service } from '../service/service.ts'
import { WITH_MAIL } from '../service/with-mail.ts'

const INVITED = 'dora@example.com'
const SCOPE = { scope: 'product:wiki:read', description: 'Read pages' }

const it = withService.extend('settings', WITH_MAIL)

interface Case {
  /** Fails with a message if the act was refused. */
  act(): Promise<unknown>
  /** The state that the act changes. */
  state(): Promise<unknown>
}

type Persons = Readonly<Record<'administrator' | 'ann', Person>>
type Prepare = (service: Service, by: Persons) => Promise<Case>

/** Without their size, which grows by itself. */
async function statesOfShards(administrator: Person): Promise<unknown> {
  const { body } = await administrator.post('/api/admin/list_shards')
  return body.items.map(({ id, state }: { readonly id: string; readonly state: string }) => [id, state])
}

/** Cases by the action of their entry. */
const CASES: Readonly<Record<string, Prepare>> = {
  'product_scope.delete': async (_service, { administrator }) => {
    await administrator.post('/api/admin/declare_product_scope', SCOPE)
    return {
      act: () => done(administrator, '/api/admin/delete_product_scope', { scope: SCOPE.scope }),
      state: () => shown(administrator, '/api/admin/list_product_scopes'),
    }
  },
  'shard.update': async (_service, { administrator }) => ({
    act: () => done(administrator, '/api/admin/update_shard', { id: 'oc-1', state: 'draining' }),
    state: () => statesOfShards(administrator),
  }),
  'shard.add': async ({ platform }, { administrator }) => {
    await platform.meta.deleteFrom('shards').where('id', '=', 'oc-1').execute()
    return {
      act: async () => assert.equal(await addShard(platform, 'oc-1'), true),
      state: () => statesOfShards(administrator),
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
  ['application.update', 'update_application', { name: 'Wiki' }],
  ['application.rotate_secret', 'rotate_application_secret', {}],
  ['notification.update', 'update_notification', { title: 'Two' }],
  ['notification.archive', 'archive_notification', {}],
  ['notification.restore', 'restore_notification', {}],
] as const

/** Acts on a user whom another request can delete. */
const ON_USERS = [
  ['user.revoke_sessions', 'revoke_user_sessions', {}],
  ['factor.reset', 'remove_factors', {}],
  ['user.send_reset', 'send_password_reset', {}],
  ['user.suspend', 'suspend_user', { reason: 'spam' }],
  ['user.restore', 'restore_user', {}],
  ['user.mark_verified', 'mark_verified', {}],
] as const

type Act = () => Promise<{ readonly status: number }>

/** Each prepared; only the first of many finds something to do. */
const ONCE: Readonly<Record<string, (service: Service, by: Persons) => Promise<Act>>> = {
  'product_scope.delete': async (_, { administrator }) => {
    await administrator.post('/api/admin/declare_product_scope', SCOPE)
    return () => administrator.post('/api/admin/delete_product_scope', { scope: SCOPE.scope })
  },
  'application.delete': async (_, { administrator }) => {
    const { id } = await register(administrator)
    return () => administrator.post('/api/admin/delete_application', { id })
  },
  'shard.add': async ({ platform }) => {
    await platform.meta.deleteFrom('shards').where('id', '=', 'oc-1').execute()
    return async () => ({ status: (await addShard(platform, 'oc-1')) ? 200 : 404 })
  },
  'session.revoke':
    async (_, { ann }) =>
    () =>
      ann.post('/api/auth/revoke-sessions'),
}

const atOnce = <T>(count: number, act: () => Promise<T>) => Promise.all(Array.from({ length: count }, () => act()))

describe('checklist 102: an action and its entry in the audit log', () => {
  it.for(Object.entries(CASES))(
    '%s is not done if its entry cannot be written, and is recorded once when it is done',
    async ([action, prepare], { service, administrator, ann }) => {
      const { act, state } = await prepare(service, { administrator, ann })
      const before = await state()

      const allow = await forbidEntries(service, action)
      await assert.rejects(act)
      const afterFailure = await state()
      await allow()
      await act()

      assert.deepEqual(afterFailure, before)
      assert.notDeepEqual(await state(), before)
      assert.equal((await subjects(service, action)).length, 2)
    },
  )

  it.for(Object.entries(ONCE))(
    '%s is recorded once when twenty requests arrive together',
    async ([action, prepare], { service, administrator, ann }) => {
      const act = await prepare(service, { administrator, ann })
      const before = (await service.mail.sentTo(ann.email)).length

      const answers = await atOnce(20, act)

      const isHers = action === 'session.revoke'
      assert.deepEqual(statuses(answers).toSorted(), [200, ...Array(19).fill(isHers ? 401 : 404)])
      assert.equal((await subjects(service, action)).length, 1)
      assert.equal((await service.mail.sentTo(ann.email)).length, before + (isHers ? 1 : 0))
    },
  )

  it.for([
    ['user.create', 'create_user'],
    ['user.invite', 'invite_user'],
  ] as const)(
    '%s is recorded for the one of twenty requests with one address that makes the user',
    async ([action, path], { service, administrator }) => {
      const answers = await atOnce(20, () => administrator.post(`/api/admin/${path}`, { email: INVITED }))

      const done = answers.filter(({ status }) => status === 200).length
      assert.ok(done >= 1)
      assert.equal((await subjects(service, action)).length, done)
      assert.equal((await service.mail.sentTo(INVITED)).length, path === 'invite_user' ? done : 0)
    },
  )

  it('user.verify_email is not recorded for a wrong code', async ({ service, ann }) => {
    const { email } = ann
    await ann.post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })

    await ann.post('/api/auth/email-otp/verify-email', { email, otp: 'wrong' })

    assert.deepEqual(await subjects(service, 'user.verify_email'), [])
  })
})

describe('checklist 102: while an act waits for a row', () => {
  it.override('options', { open: openPatiently })

  it.for(ON_SUBJECTS)(
    '%s leaves an entry only if it is done, also if its subject is deleted',
    async ([action, path, fields], { service, administrator, ann }) => {
      const isApplication = action.startsWith('application.')
      const note = { title: 'One', content: '1', target_user_id: ann.id }
      const { id } = isApplication
        ? await register(administrator)
        : (await administrator.post('/api/admin/create_notification', note)).body
      const table = isApplication ? 'application' : 'notifications'

      const held = { sql: `select from "${table}" where id = $1 for update`, values: [id] }
      const answers = await whileHeld(service, held, [
        () =>
          isApplication
            ? administrator.post('/api/admin/delete_application', { id })
            : administrator.post('/api/admin/delete_user', { id: ann.id }),
        () => administrator.post(`/api/admin/${path}`, { id, ...fields }),
      ])

      const [deleted, status] = statuses(answers)
      assert.equal(deleted, 200)
      assert.ok(status === 404 || status === 200, `answered ${status}`)
      assert.equal((await subjects(service, action)).length, status === 200 ? 1 : 0)
    },
  )

  it.for(ON_USERS)(
    '%s leaves none, and no letter, if the user is deleted first',
    async ([action, path, fields], { service, administrator }) => {
      const id = await invited(administrator)
      const queued = () => service.platform.meta.selectFrom('letter_queue').select('id').execute()
      const before = (await queued()).length

      const answers = await whileUserIsHeld(service, id, [
        () => administrator.post('/api/admin/delete_user', { id }),
        () => administrator.post(`/api/admin/${path}`, { id, ...fields }),
      ])

      const [deleted, status] = statuses(answers)
      assert.equal(deleted, 200)
      // An embedded store starts both together, and a deletion has more to do before it decides.
      if (status === 200) {
        const isNothingToDo = action === 'user.restore'
        return assert.deepEqual(await subjects(service, action), isNothingToDo ? [] : [id])
      }
      assert.equal(status, 404)
      assert.deepEqual(await subjects(service, action), [])
      assert.equal((await queued()).length, before)
    },
  )

  it('user.invite is about a new user if the first one is deleted', async ({ service, administrator }) => {
    const id = await invited(administrator)

    const [deleted, again] = await whileUserIsHeld(service, id, [
      () => administrator.post('/api/admin/delete_user', { id }),
      () => administrator.post('/api/admin/invite_user', { email: INVITED }),
    ])

    assert.deepEqual([deleted?.status, again?.status], [200, 200])
    assert.deepEqual(await subjects(service, 'user.invite'), [id, again?.body.id])
    const left = await administrator.post('/api/admin/list_users', { search: INVITED })
    assert.equal(left.body.total, again?.body.id === id ? 0 : 1)
  })

  it('session.revoke is recorded for one of two sessions that end each other', async ({ service, ann }) => {
    const elsewhere = new Person(service, ann.email, ann.password)
    await elsewhere.signIn()

    const answers = await whileUserIsHeld(
      service,
      ann.id,
      [ann, elsewhere].map((from) => () => from.post('/api/auth/revoke-other-sessions')),
    )

    assert.deepEqual(statuses(answers).toSorted(), [200, 401])
    assert.equal((await subjects(service, 'session.revoke')).length, 1)
  })
})

/** Lets no second entry of this action be written from here on. Returns a function that allows more again. */
async function forbidEntries({ platform }: Service, action: string) {
  const { meta } = platform
  await meta.batch([insertEvents(meta, rowOf({ platform }, action as Action, {}))])
  await sql`create unique index one_entry on event (action) where action = ${sql.lit(action)}`.execute(meta)
  return () => sql`drop index one_entry`.execute(meta)
}

/** Counts entries with this action. */
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
