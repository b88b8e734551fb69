import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { it } from '../../../../test/service/it.ts'
import { people, stranger } from '../../../../test/service/people.ts'
import { type Service, startService } from '../../../../test/service/service.ts'

const INVITE = '/api/admin/invite_user'
const ACCEPT = '/api/auth/accept-invitation'

async function closedWorld() {
  const service = await startService()
  await changeSettings(service, 'email', { provider: 'smtp' })
  const { administrator, ann } = await people(service)
  await changeSettings(service, 'authentication', {
    registration_enabled: false,
    email_verification_required: true,
    email_signup_domain_allowlist: ['example.org'],
  })
  return { service, administrator, ann, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

async function linkFor(service: Service, email: string): Promise<string> {
  return service.mail.linkFor(email)
}

describe('invite_user', () => {
  it('lets a user in while registration is off: the link in the email sets the password', async () => {
    await using w = await closedWorld()
    const carl = stranger(w.service)

    const invited = await w.administrator.post(INVITE, { email: carl.email, name: 'Carl' })
    const before = await carl.signIn()
    const link = await linkFor(w.service, carl.email)
    const accepted = await carl.post(ACCEPT, { email: carl.email, link, password: carl.password })
    const signedIn = await carl.signIn()

    assert.deepEqual([invited.status, before.status], [200, 401])
    assert.deepEqual([accepted.status, accepted.body], [200, { success: true }])
    assert.equal(accepted.headers.get('set-auth-token'), null)
    assert.equal(signedIn.body.user?.id, invited.body.id)
    const { body } = await carl.get('/api/auth/get-session')
    assert.deepEqual([body.user.name, body.user.emailVerified], ['Carl', true])
  })

  it('is valid once, for seven days, for its own address, and cannot be replaced by a code', async () => {
    await using w = await closedWorld()
    const carl = stranger(w.service)
    await w.administrator.post(INVITE, { email: carl.email })
    await w.administrator.post(INVITE, { email: 'dora@example.com' })
    const link = await linkFor(w.service, carl.email)
    const accept = (sent: object) =>
      carl.post(ACCEPT, { email: carl.email, password: carl.password, ...sent })

    const foreign = await accept({ email: 'dora@example.com', link })
    const digits = await accept({ link: '123456' })
    const weak = await accept({ link, password: 'short' })
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept({ link })))
    await w.administrator.post(INVITE, { email: 'emil@example.com' })
    const late = await linkFor(w.service, 'emil@example.com')
    w.service.clock.advance({ days: 7 })
    const expired = await accept({ email: 'emil@example.com', link: late })

    assert.deepEqual([foreign.status, foreign.body.code], [400, 'INVALID_OTP'])
    assert.deepEqual([digits.status, weak.body.code], [400, 'PASSWORD_TOO_SHORT'])
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.deepEqual([expired.status, expired.body.code], [400, 'OTP_EXPIRED'])
  })

  it('sends a new link until one is used; an address in use is taken', async () => {
    await using w = await closedWorld()
    const carl = stranger(w.service)
    const first = await w.administrator.post(INVITE, { email: carl.email })
    const old = await linkFor(w.service, carl.email)

    const second = await w.administrator.post(INVITE, { email: carl.email })
    const stale = await carl.post(ACCEPT, { email: carl.email, link: old, password: carl.password })
    const taken = await w.administrator.post(INVITE, { email: w.ann.email })
    const made = await w.administrator.post(INVITE, { email: '666@community.local' })

    assert.equal(second.body.id, first.body.id)
    assert.equal(stale.body.code, 'INVALID_OTP')
    assert.deepEqual([taken.status, taken.body.code], [422, 'USER_ALREADY_EXISTS'])
    assert.equal(made.body.code, 'EMAIL_DOMAIN_NOT_ALLOWED')
  })

  it('without an email provider is EMAIL_PROVIDER_UNAVAILABLE, and creates no user', async ({
    administrator,
  }) => {
    const { status, body } = await administrator.post(INVITE, { email: 'carl@example.com' })

    const { body: found } = await administrator.post('/api/admin/list_users', { search: 'carl@' })
    assert.deepEqual([status, body.code, found.total], [400, 'EMAIL_PROVIDER_UNAVAILABLE', 0])
  })
})

describe('create_user', () => {
  it('makes a user with shard and balance while registration is off', async () => {
    await using w = await closedWorld()
    await changeSettings(w.service, 'authentication', { email_verification_required: false })
    const carl = stranger(w.service)

    const made = await w.administrator.post('/api/admin/create_user', {
      email: carl.email,
      password: carl.password,
    })
    const weak = await w.administrator.post('/api/admin/create_user', {
      email: 'dora@example.com',
      password: 'short',
    })
    const twice = await w.administrator.post('/api/admin/create_user', { email: carl.email })
    await carl.signIn()

    assert.deepEqual([made.status, weak.body.code], [200, 'PASSWORD_TOO_SHORT'])
    assert.deepEqual([twice.status, twice.body.code], [422, 'USER_ALREADY_EXISTS'])
    const credits = await carl.post('/api/get_credit_summary')
    assert.deepEqual([credits.status, credits.body], [200, { balance: 0 }])
  })
})
