import assert from 'node:assert/strict'
import { randomBytes, scryptSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { openPatiently, whileUserIsHeld } from '../postgres/held-user.ts'
import { beginLink, consent, enableProvider, linkVia } from '../providers/journey.ts'
import { startPlainProvider } from '../providers/plain-provider.ts'
import { changeSettings } from '../service/change-settings.ts'
import {
  approvedCode,
  authorizationQuery,
  decideDevice,
  grantFor,
  poll,
  redeem,
  refreshWith,
  revoke,
  startDevice,
  userBehind,
} from '../service/grants.ts'
import { Person, people } from '../service/people.ts'
import { type Service, startService } from '../service/service.ts'

const NEW_PASSWORD = 'a quieter walk in the snow'

/** Either may be first at the row that both need. */
const ORDERS = [
  { name: 'first', arrange: <T>(one: T, other: T): readonly T[] => [one, other] },
  { name: 'second', arrange: <T>(one: T, other: T): readonly T[] => [other, one] },
]

async function world() {
  const service = await startService({ open: openPatiently })
  await changeSettings(service, 'email', { provider: 'smtp' })
  return { service, ...(await people(service)), [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

for (const { name, arrange } of ORDERS) {
  describe(`at one user’s row, ${name} in line`, () => {
    it('checklist 69: a sign-in with the old password leaves no session after the change', async () => {
      await using w = await world()
      const thief = new Person(w.service, w.ann.email, w.ann.password)
      const signIn = () => thief.signIn()
      const change = () => changePassword(w.ann)

      const answers = await whileUserIsHeld(w.service, w.ann.id, arrange(signIn, change))

      assertNoFault(answers)
      assert.equal((await thief.get('/api/auth/get-session')).body, null)
      assert.equal((await w.ann.get('/api/auth/get-session')).body.user.id, w.ann.id)
    })

    it('checklist 69: a sign-in with the old password leaves no session after the reset', async () => {
      await using w = await world()
      const thief = new Person(w.service, w.ann.email, w.ann.password)
      const otp = await resetCodeFor(w.service, w.ann)

      const answers = await whileUserIsHeld(
        w.service,
        w.ann.id,
        arrange(
          () => thief.signIn(),
          () => resetPassword(w.ann, otp),
        ),
      )

      assertNoFault(answers)
      assert.equal((await thief.get('/api/auth/get-session')).body, null)
    })

    it('checklist 53: a refresh leaves no token after the revocation', async () => {
      await using w = await world()
      const client = await grantFor(w.ann, 'account:profile:read')

      const [...answers] = await whileUserIsHeld<Answered>(
        w.service,
        w.ann.id,
        arrange<() => Promise<Answered>>(
          () => client.refresh(),
          () => revoke(w.ann, client.tokens.refresh_token),
        ),
      )

      assertNoFault(answers)
      for (const { body } of answers) {
        if (body.access_token) assert.equal(await userBehind(w.ben, body.access_token), undefined)
        if (body.refresh_token) assert.equal((await refreshWith(w.ben, body.refresh_token)).status, 400)
      }
    })

    it('checklist 68: an approval leaves no grant after the reset', async () => {
      await using w = await world()
      const elsewhere = new Person(w.service, w.ann.email, w.ann.password)
      await elsewhere.signIn()
      const device = await startDevice(w.ben, 'account:profile:read')
      const otp = await resetCodeFor(w.service, w.ann)

      const answers = await whileUserIsHeld(
        w.service,
        w.ann.id,
        arrange(
          () => decideDevice(elsewhere, device.body.user_code, true),
          () => resetPassword(w.ann, otp),
        ),
      )

      assertNoFault(answers)
      assert.equal((await poll(w.ben, device.body.device_code)).status, 400)
    })

    it('checklist 68: a code that is redeemed leaves no token after the reset', async () => {
      await using w = await world()
      const { code, verifier } = await approvedCode(w.ann, ['account:profile:read'])
      const otp = await resetCodeFor(w.service, w.ann)

      const answers = await whileUserIsHeld<Answered>(
        w.service,
        w.ann.id,
        arrange<() => Promise<Answered>>(
          () => redeem(w.ben, code, verifier),
          () => resetPassword(w.ann, otp),
        ),
      )

      assertNoFault(answers)
      for (const { body } of answers) {
        if (body.access_token) assert.equal(await userBehind(w.ben, body.access_token), undefined)
      }
    })

    it('checklist 67: a link on its way is gone after the first proof', async () => {
      await using forum = await startPlainProvider('community', { '/api/user': { id: 7, username: 'eve' } })
      await using service = await startService({
        env: { COMMUNITY_AUTH_URL: forum.url },
        open: openPatiently,
      })
      await changeSettings(service, 'email', { provider: 'smtp' })
      await enableProvider(service, 'community')
      const { ann: attacker } = await people(service)
      const owner = new Person(service, attacker.email, NEW_PASSWORD)
      const callback = await consent(await beginLink(attacker, 'community'))
      const sent = { email: owner.email, type: 'email-verification' }
      await owner.post('/api/auth/email-otp/send-verification-otp', sent)
      const otp = await service.mail.codeFor(owner.email)

      const answers = await whileUserIsHeld<Answered>(
        service,
        attacker.id,
        arrange<() => Promise<Answered>>(
          () => attacker.get(callback),
          () => owner.post('/api/auth/email-otp/verify-email', { email: owner.email, otp }),
        ),
      )

      assertNoFault(answers)
      const rows = await service.platform.meta.primary.selectFrom('account').select('provider').execute()
      assert.equal(rows.filter(({ provider }) => provider === 'community').length, 0)
    })

    it('checklist 84: a token that is handed out leaves nothing after the deletion', async () => {
      await using w = await world()
      const { code, verifier } = await approvedCode(w.ann, ['account:profile:read'])

      const answers = await whileUserIsHeld<Answered>(
        w.service,
        w.ann.id,
        arrange<() => Promise<Answered>>(
          () => redeem(w.ben, code, verifier),
          () => deleteUser(w.ann),
        ),
      )

      assertNoFault(answers)
      for (const { body } of answers) {
        if (body.access_token) assert.equal(await userBehind(w.ben, body.access_token), undefined)
      }
      await assertGone(w.service, w.ann.id)
    })

    it('checklist 84: a poll of an approved device leaves nothing after the deletion', async () => {
      await using w = await world()
      const device = await startDevice(w.ann, 'account:profile:read')
      await decideDevice(w.ann, device.body.user_code, true)

      const answers = await whileUserIsHeld<Answered>(
        w.service,
        w.ann.id,
        arrange<() => Promise<Answered>>(
          () => poll(w.ben, device.body.device_code),
          () => deleteUser(w.ann),
        ),
      )

      assertNoFault(answers)
      await assertGone(w.service, w.ann.id)
    })

    it('checklist 84: begin_authorization beside the deletion', async () => {
      await using w = await world()
      const query = authorizationQuery(['account:profile:read'])

      const answers = await whileUserIsHeld(
        w.service,
        w.ann.id,
        arrange(
          () => w.ann.post('/api/oauth/begin_authorization', query),
          () => deleteUser(w.ann),
        ),
      )

      assertNoFault(answers)
      await assertGone(w.service, w.ann.id)
    })

    it('checklist 84: an approval beside the deletion', async () => {
      await using w = await world()
      const device = await startDevice(w.ann, 'account:profile:read')

      const answers = await whileUserIsHeld(
        w.service,
        w.ann.id,
        arrange(
          () => decideDevice(w.ann, device.body.user_code, true),
          () => deleteUser(w.ann),
        ),
      )

      assertNoFault(answers)
      await assertGone(w.service, w.ann.id)
    })

    it('checklist 84: a sign-in beside the deletion', async () => {
      await using w = await world()
      const elsewhere = new Person(w.service, w.ann.email, w.ann.password)

      const answers = await whileUserIsHeld(
        w.service,
        w.ann.id,
        arrange(
          () => elsewhere.signIn(),
          () => deleteUser(w.ann),
        ),
      )

      assertNoFault(answers)
      assert.equal((await elsewhere.get('/api/auth/get-session')).body, null)
      await assertGone(w.service, w.ann.id)
    })

    it('checklist 84: a notification for the user beside the deletion', async () => {
      await using w = await world()
      const notification = { title: 'One', content: 'For Ann.', target_user_id: w.ann.id }

      const answers = await whileUserIsHeld<Answered>(
        w.service,
        w.ann.id,
        arrange<() => Promise<Answered>>(
          () => w.administrator.post('/api/admin/create_notification', notification),
          () => deleteUser(w.ann),
        ),
      )
      const later = await w.administrator.post('/api/admin/create_notification', notification)
      const kept = await w.administrator.post('/api/admin/list_notifications')

      assertNoFault(answers)
      assert.deepEqual(
        [later.status, later.body.code, later.body.issues[0].path],
        [400, 'INVALID_REQUEST', 'target_user_id'],
      )
      assert.equal(kept.body.total, 0)
    })

    it('checklist 69: a deletion with the old password is refused after the change', async () => {
      await using w = await world()
      const thief = new Person(w.service, w.ann.email, w.ann.password)
      await thief.signIn()

      const answers = await whileUserIsHeld<Answered>(
        w.service,
        w.ann.id,
        arrange<() => Promise<Answered>>(
          () => deleteUser(thief),
          () => changePassword(w.ann),
        ),
      )

      assertNoFault(answers)
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    })

    it('a deletion is refused after the suspension', async () => {
      await using w = await world()

      const answers = await whileUserIsHeld<Answered>(
        w.service,
        w.ann.id,
        arrange<() => Promise<Answered>>(
          () => deleteUser(w.ann),
          () => suspend(w.administrator, w.ann),
        ),
      )

      assertNoFault(answers)
      if (name === 'second') assert.equal(answers[1]?.status, 401)
    })

    it('a sign-in leaves no session after the suspension', async () => {
      await using w = await world()
      const elsewhere = new Person(w.service, w.ann.email, w.ann.password)

      const answers = await whileUserIsHeld(
        w.service,
        w.ann.id,
        arrange(
          () => elsewhere.signIn(),
          () => suspend(w.administrator, w.ann),
        ),
      )

      assertNoFault(answers)
      assert.equal((await elsewhere.get('/api/auth/get-session')).body, null)
    })

    it('a code that is redeemed leaves no token after the suspension', async () => {
      await using w = await world()
      const { code, verifier } = await approvedCode(w.ann, ['account:profile:read'])

      const answers = await whileUserIsHeld<Answered>(
        w.service,
        w.ann.id,
        arrange<() => Promise<Answered>>(
          () => redeem(w.ben, code, verifier),
          () => suspend(w.administrator, w.ann),
        ),
      )

      assertNoFault(answers)
      for (const { body } of answers) {
        if (body.access_token) assert.equal(await userBehind(w.ben, body.access_token), undefined)
      }
    })

    it('checklist 84: the end of a link beside the deletion', async () => {
      await using forum = await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } })
      await using service = await startService({
        env: { COMMUNITY_AUTH_URL: forum.url },
        open: openPatiently,
      })
      await enableProvider(service, 'community')
      const { ann, ben } = await people(service)
      const callback = await consent(await beginLink(ann, 'community'))

      const answers = await whileUserIsHeld<Answered>(
        service,
        ann.id,
        arrange<() => Promise<Answered>>(
          () => ann.get(callback),
          () => deleteUser(ann),
        ),
      )

      assertNoFault(answers)
      await assertGone(service, ann.id)
      assert.equal(await linkVia(ben, 'community'), '/')
    })

    it('checklist 84: the beginning of a link beside the deletion', async () => {
      await using forum = await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } })
      await using service = await startService({
        env: { COMMUNITY_AUTH_URL: forum.url },
        open: openPatiently,
      })
      await enableProvider(service, 'community')
      const { ann } = await people(service)

      const answers = await whileUserIsHeld(
        service,
        ann.id,
        arrange(
          () => ann.post('/api/auth/link-social', { provider: 'community' }),
          () => deleteUser(ann),
        ),
      )

      assertNoFault(answers)
    })
  })
}

describe('a user who came with an import', () => {
  it('gets in by each of five first sign-ins at once', async () => {
    await using w = await world()
    const salt = randomBytes(16).toString('hex')
    const key = scryptSync(w.ann.password, salt, 64, { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 })
    await w.service.platform.meta
      .updateTable('account')
      .set({ password_hash: `${salt}:${key.toString('hex')}` })
      .where('user_id', '=', w.ann.id)
      .execute()
    const browsers = Array.from({ length: 5 }, () => new Person(w.service, w.ann.email, w.ann.password))

    const answers = await Promise.all(browsers.map((browser) => browser.signIn()))

    assert.deepEqual(
      answers.map(({ status }) => status),
      browsers.map(() => 200),
    )
    const sessions = await Promise.all(browsers.map((browser) => browser.get('/api/auth/get-session')))
    for (const { body } of sessions) assert.equal(body.user.id, w.ann.id)
  })
})

interface Answered {
  readonly status: number
  readonly body: { readonly access_token?: string; readonly refresh_token?: string }
}

function changePassword(person: Person) {
  return person.post('/api/auth/change-password', {
    currentPassword: person.password,
    newPassword: NEW_PASSWORD,
    revokeOtherSessions: true,
  })
}

async function resetCodeFor(service: Service, person: Person): Promise<string> {
  await person.post('/api/auth/email-otp/request-password-reset', { email: person.email })
  return service.mail.codeFor(person.email)
}

function resetPassword(person: Person, otp: string) {
  return person.post('/api/auth/email-otp/reset-password', {
    email: person.email,
    otp,
    password: NEW_PASSWORD,
  })
}

function suspend(administrator: Person, person: Person) {
  return administrator.post('/api/admin/suspend_user', { id: person.id, reason: 'Sent spam.' })
}

function deleteUser(person: Person) {
  return person.post('/api/auth/delete-user', { password: person.password })
}

function assertNoFault(answers: readonly { readonly status: number }[]): void {
  const statuses = answers.map(({ status }) => status)
  assert.ok(
    statuses.every((status) => status < 500),
    `statuses: ${statuses.join(', ')}`,
  )
  assert.ok(statuses.includes(200))
}

async function assertGone({ platform: { meta } }: Service, userId: string): Promise<void> {
  const tables = ['session', 'account', 'api_grant', 'authorization_request'] as const
  for (const table of tables) {
    const rows = await meta.primary.selectFrom(table).select('id').where('user_id', '=', userId).execute()
    assert.deepEqual([table, rows], [table, []])
  }
  assert.equal(
    await meta.primary.selectFrom('user').select('id').where('id', '=', userId).executeTakeFirst(),
    undefined,
  )
}
