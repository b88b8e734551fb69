import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { it as base } from '../../../../test/service/it.ts'
import { type Person, stranger } from '../../../../test/service/people.ts'
import { WITH_MAIL } from '../../../../test/service/with-mail.ts'

const INVITE = '/api/admin/invite_user'
const CREATE = '/api/admin/create_user'

interface Given {
  readonly carl: Person
  /** Sends an invitation and returns the link in its mail. */
  readonly invite: (email: string, more?: object) => Promise<{ readonly id: string; readonly link: string }>
  readonly accept: (link: string, more?: object) => ReturnType<Person['post']>
}

/** Every setting that can close registration does. */
const it = base.extend<Given>({
  carl: async ({ service }, use) => use(stranger(service)),
  invite: async ({ service, administrator }, use) => {
    await changeSettings(service, 'authentication', {
      registration_enabled: false,
      email_verification_required: true,
      email_signup_domain_allowlist: ['example.org'],
    })
    await use(async (email, more = {}) => {
      const { status, body } = await administrator.post(INVITE, { email, ...more })
      assert.equal(status, 200, JSON.stringify(body))
      return { id: body.id, link: await service.mail.linkFor(email) }
    })
  },
  accept: async ({ carl: { email, password }, carl }, use) =>
    use((link, more = {}) => carl.post('/api/auth/accept-invitation', { email, password, link, ...more })),
})

describe('invite_user', () => {
  it.override('settings', WITH_MAIL)

  it('lets a user in: the link in the mail sets the password', async ({ carl, invite, accept }) => {
    const { id, link } = await invite(carl.email, { name: 'Carl' })

    assert.equal((await carl.signIn()).status, 401)
    const accepted = await accept(link)

    assert.deepEqual([accepted.status, accepted.body], [200, { success: true }])
    assert.equal(accepted.headers.get('set-auth-token'), null)
    assert.equal((await carl.signIn()).body.user?.id, id)
    const { user } = (await carl.get('/api/auth/get-session')).body
    assert.deepEqual([user.name, user.emailVerified], ['Carl', true])
  })

  it('is valid once, for seven days and its own address', async ({ service, carl, invite, accept }) => {
    const { link } = await invite(carl.email)
    const [dora, emil] = ['dora@example.com', 'emil@example.com']
    await invite(dora)

    assertRefused(await accept(link, { email: dora }), 'INVALID_OTP')
    assert.equal((await accept('123456')).status, 400)
    assertRefused(await accept(link, { password: 'short' }), 'PASSWORD_TOO_SHORT')
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept(link)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    const late = await invite(emil)
    service.clock.advance({ days: 7 })
    assertRefused(await accept(late.link, { email: emil }), 'OTP_EXPIRED')
  })

  it('sends new links until one is used, and the earlier ones stay valid', async ({ carl, invite, accept }) => {
    const first = await invite(carl.email)
    const second = await invite(carl.email)

    assert.equal(second.id, first.id)
    assert.equal((await accept(first.link)).status, 200)
    assertRefused(await accept(second.link), 'INVALID_OTP')
  })

  it('refuses an address in use, and a made-up one', async ({ administrator, ann, invite }) => {
    assert.ok(invite)
    assertRefused(await administrator.post(INVITE, { email: ann.email }), 'USER_ALREADY_EXISTS')
    const made = await administrator.post(INVITE, { email: '666@community.local' })
    assertRefused(made, 'EMAIL_DOMAIN_NOT_ALLOWED')
  })
})

describe('without an email provider', () => {
  it('invite_user is refused, and creates no user', async ({ administrator, carl: { email } }) => {
    assertRefused(await administrator.post(INVITE, { email }), 'EMAIL_PROVIDER_UNAVAILABLE')

    const found = await administrator.post('/api/admin/list_users', { search: email })
    assert.equal(found.body.total, 0)
  })

  it('create_user creates a user even while registration is off', async ({ service, administrator, carl }) => {
    const { email, password } = carl
    const closed = { registration_enabled: false, email_signup_domain_allowlist: ['example.org'] }
    await changeSettings(service, 'authentication', closed)

    assert.equal((await administrator.post(CREATE, { email, password })).status, 200)
    const weak = await administrator.post(CREATE, { email: 'dora@example.com', password: 'short' })
    assertRefused(weak, 'PASSWORD_TOO_SHORT')
    assertRefused(await administrator.post(CREATE, { email }), 'USER_ALREADY_EXISTS')
    await carl.signIn()
    const credits = await carl.post('/api/get_credit_summary')
    assert.deepEqual([credits.status, credits.body], [200, { balance: 0 }])
  })
})
