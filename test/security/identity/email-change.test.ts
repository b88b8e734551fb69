import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { isTaken } from '../../../src/features/people/account/importing.ts'
import { whileHeld } from '../../postgres/held-user.ts'
import { assertRefused } from '../../service/answers.ts'
import { addApp } from '../../service/devices/factors.ts'
import { addPasskey } from '../../service/devices/security-key.ts'
import { grantFor } from '../../service/grants.ts'
import { proveAddress, resetByCode } from '../../service/mailed.ts'
import { Person } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { NO_COOLDOWN, WITH_MAIL } from '../../service/with-mail.ts'
import { GET_SESSION, it as inHouse, NEW_PASSWORD } from '../support/house.ts'

const it = inHouse.extend({
  settings: { ...WITH_MAIL, authentication: { ...NO_COOLDOWN, email_changes: 'verified' } },
})

const NEW = 'ann@elsewhere.example'
const CHANGE = '/api/auth/change-email'
const VERIFY = '/api/auth/email-otp/verify-email'
const SECURE = '/api/auth/secure-account'

async function changed(service: Service, person: Person, newEmail = NEW) {
  const asked = await person.post(CHANGE, { newEmail })
  assert.deepEqual([asked.status, asked.body], [200, { status: true }])
  return person.post(VERIFY, { email: newEmail, otp: await service.mail.codeFor(newEmail) })
}

/** The token of the link in the last letter to this address that has one. */
async function tokenAt({ mail }: Service, address: string): Promise<string> {
  const texts = (await mail.sentTo(address)).map(({ text }) => /This wasn’t me:\s\S+\/secure#(\S+)/.exec(text)?.[1])
  return texts.findLast((token) => token !== undefined) ?? ''
}

const emailOf = async (person: Person) => (await person.get(GET_SESSION)).body?.user.email

describe('a change of the address', () => {
  it('takes effect with the code, and ends other sessions but not this one', async ({ service, ann, browser }) => {
    const other = browser()
    await other.signIn()
    const events = async () => (await service.platform.meta.selectFrom('event').selectAll().execute()).slice(-3)

    const { status, body } = await changed(service, ann)

    assert.deepEqual([status, body.user.email, body.user.emailVerified], [200, NEW, true])
    assert.deepEqual([await emailOf(ann), await emailOf(other)], [NEW, undefined])
    assert.ok((await events()).some(({ type, data }) => type === 'user.updated' && String(data).includes(NEW)))
    assert.equal((await new Person(service, NEW, ann.password).signIn()).status, 200)
    assertRefused(await browser().signIn(), 'INVALID_EMAIL_OR_PASSWORD')
  })

  it('answers the same for an address that is taken, whose owner gets a letter and no code', async ({
    service,
    ann,
    ben,
    browser,
  }) => {
    const answers = [await ann.post(CHANGE, { newEmail: ben.email }), await ann.post(CHANGE, { newEmail: NEW })]

    assert.deepEqual(
      answers.map(({ status, body }) => [status, body]),
      Array(2).fill([200, { status: true }]),
    )
    const [letter] = (await service.mail.sentTo(ben.email)).slice(-1)
    assert.match(letter?.subject ?? '', /^Your address is already in use/)
    assert.equal((await service.mail.sentTo(ann.email)).filter(({ text }) => text.includes('/secure#')).length, 2)
    assertRefused(await ann.post(VERIFY, { email: ben.email, otp: '123456' }), 'INVALID_OTP')
    assert.equal((await browser().signIn()).status, 200)
  })

  it('needs a fresh session, the setting, an allowed domain and a user who is not the administrator', async ({
    service,
    administrator,
    ann,
    browser,
  }) => {
    assertRefused(await ann.post(CHANGE, { newEmail: 'none' }), 'INVALID_REQUEST')
    assertRefused(await ann.post(CHANGE, { newEmail: ann.email }), 'INVALID_REQUEST')
    assertRefused(await browser().post(CHANGE, { newEmail: NEW }), 'UNAUTHORIZED')
    assertRefused(await administrator.post(CHANGE, { newEmail: NEW }), 'EMAIL_CHANGE_DISABLED')
    const grant = await grantFor(ann, 'account:profile:write')
    assertRefused(await grant.post(CHANGE, { newEmail: NEW }), 'FORBIDDEN')
    await administrator.saveSettings('authentication', { email_signup_domain_allowlist: ['example.com'] })
    assertRefused(await ann.post(CHANGE, { newEmail: NEW }), 'EMAIL_DOMAIN_NOT_ALLOWED')
    await administrator.saveSettings('authentication', { email_signup_domain_allowlist: [] })
    service.clock.advance({ minutes: 16 })
    assertRefused(await ann.post(CHANGE, { newEmail: NEW }), 'SESSION_NOT_FRESH')
    await ann.post('/api/auth/confirm', { password: ann.password })
    assert.equal((await ann.post(CHANGE, { newEmail: NEW })).status, 200)
    await administrator.post('/api/auth/confirm', { password: administrator.password })
    await administrator.saveSettings('authentication', { email_changes: 'off' })
    const otp = await service.mail.codeFor(NEW)
    assertRefused(await ann.post(VERIFY, { email: NEW, otp }), 'INVALID_OTP')
    assertRefused(await ann.post(CHANGE, { newEmail: 7 }), 'EMAIL_CHANGE_DISABLED')
  })

  it('shows its code only to the session of its user', async ({ service, ann, ben, browser }) => {
    await ann.post(CHANGE, { newEmail: NEW })
    const otp = await service.mail.codeFor(NEW)

    for (const other of [ben, browser()]) assertRefused(await other.post(VERIFY, { email: NEW, otp }), 'INVALID_OTP')
    assert.equal((await ann.post(VERIFY, { email: NEW, otp })).status, 200)
    assertRefused(await ann.post(VERIFY, { email: NEW, otp }), 'INVALID_OTP')
  })

  it('keeps the former address from others for a week', async ({ service, ann, ben }) => {
    const former = ann.email
    await changed(service, ann)
    const newcomer = () => new Person(service, former, NEW_PASSWORD)

    await newcomer().signUp()
    await ben.post(CHANGE, { newEmail: former })
    const users = () => service.platform.meta.selectFrom('user').select('id').where('email', '=', former).execute()
    const within = await users()
    service.clock.advance({ days: 7, seconds: 1 })
    await newcomer().signUp()

    assert.deepEqual([within.length, (await users()).length], [0, 1])
    assert.equal((await service.mail.sentTo(former)).filter(({ text }) => /use this address/i.test(text)).length, 0)
  })

  it('can lead back to the user’s own former address', async ({ service, ann }) => {
    const former = ann.email
    await changed(service, ann)

    const { status, body } = await changed(service, ann, former)

    assert.deepEqual([status, body.user.email], [200, former])
  })

  it('keeps the former address for a week from the use of the code, not from its request', async ({
    service,
    administrator,
    ann,
  }) => {
    const former = ann.email
    await ann.post(CHANGE, { newEmail: NEW })
    const otp = await service.mail.linkFor(NEW)
    service.clock.advance({ minutes: 4 })
    assert.equal((await ann.post(VERIFY, { email: NEW, otp })).status, 200)
    service.clock.advance({ days: 7, minutes: -2 })
    await service.runJob('code-sweep')

    await administrator.signIn()
    const incoming = { id: 'x', name: '', email: former, emailVerified: true, image: null, accounts: [] } as const
    assertRefused(await administrator.post('/api/admin/create_user', { email: former }), 'USER_ALREADY_EXISTS')
    assertRefused(await administrator.post('/api/admin/invite_user', { email: former }), 'USER_ALREADY_EXISTS')
    assert.equal(await isTaken(service.platform, { ...incoming, createdAt: 0, isSuspended: false }), true)
  })

  it('beside a sign-up with the same address: one of them has it', async ({ service, ann }) => {
    const newcomer = new Person(service, NEW, NEW_PASSWORD)
    await ann.post(CHANGE, { newEmail: NEW })
    const otp = await service.mail.codeFor(NEW)

    const answers = await whileHeld(service, { sql: 'lock table "user" in share mode' }, [
      () => newcomer.post('/api/auth/sign-up/email', { email: NEW, name: 'New', password: NEW_PASSWORD }),
      () => ann.post(VERIFY, { email: NEW, otp }),
    ])

    const { meta } = service.platform
    const holders = await meta.primary.selectFrom('user').select('id').where('email', '=', NEW).execute()
    assert.equal(holders.length, 1)
    const [, second] = answers
    assert.ok(second)
    if (holders[0]?.id === ann.id) assert.equal(second.status, 200)
    else assertRefused(second, 'USER_ALREADY_EXISTS')
  })

  it('keeps passkeys as a second factor: a later reset by mail does not remove them', async ({ service, ann, key }) => {
    await proveAddress(service, ann, ann)
    service.clock.advance({ seconds: 1 })
    assert.equal((await addPasskey(ann, key)).status, 200)
    service.clock.advance({ seconds: 1 })
    await changed(service, ann)

    const reader = new Person(service, NEW, NEW_PASSWORD)
    assert.equal((await resetByCode(service, reader)).status, 200)

    const { email, password } = reader
    const { body } = await reader.post('/api/auth/sign-in/email', { email, password })
    assert.deepEqual([body.user, body.twoFactorMethods], [undefined, ['passkey']])
  })

  it('can be wished for ten times in a week', async ({ ann }) => {
    const statuses: number[] = []
    for (let i = 0; i < 11; i++)
      statuses.push((await ann.post(CHANGE, { newEmail: `ann${i}@elsewhere.example` })).status)

    assert.deepEqual(statuses, [...Array(10).fill(200), 429])
  })
})

describe('“This wasn’t me”', () => {
  it('brings the former address back, and ends whatever a thief has', async ({ service, ann, browser }) => {
    const former = ann.email
    const thief = browser()
    await thief.signIn()
    const grant = await grantFor(thief, 'account:profile:read')
    await changed(service, thief)
    await addApp(service, thief)
    await changed(service, thief, 'third@elsewhere.example')
    const [first, second] = [await tokenAt(service, former), await tokenAt(service, NEW)]

    const { status, body } = await browser().post(SECURE, { token: first })

    assert.deepEqual([status, body], [200, { success: true, email: former }])
    assert.equal(await emailOf(thief), undefined)
    assert.equal((await grant.refresh()).status, 400)
    assertRefused(await browser().post(SECURE, { token: second }), 'INVALID_REQUEST')
    assertRefused(await browser().post(SECURE, { token: first }), 'INVALID_REQUEST')
    const owner = new Person(service, former, NEW_PASSWORD)
    const otp = await service.mail.codeFor(former)
    const reset = { email: former, otp, password: NEW_PASSWORD }
    assert.equal((await owner.post('/api/auth/email-otp/reset-password', reset)).status, 200)
    assert.equal((await owner.signIn()).status, 200)
  })

  it('used in the new mailbox first, it is no way past the owner of the former', async ({ service, ann, browser }) => {
    const former = ann.email
    await changed(service, ann)
    await changed(service, ann, 'third@elsewhere.example')

    await browser().post(SECURE, { token: await tokenAt(service, NEW) })
    const { body } = await browser().post(SECURE, { token: await tokenAt(service, former) })

    assert.equal(body.email, former)
  })

  it('brings back the address that the letter was sent to, whichever of several changes was made', async ({
    service,
    ann,
    browser,
  }) => {
    const former = ann.email
    const THIRD = 'third@elsewhere.example'
    for (const newEmail of [NEW, THIRD]) await ann.post(CHANGE, { newEmail })
    const first = /\/secure#(\S+)/.exec((await service.mail.sentTo(former)).at(-2)?.text ?? '')?.[1]
    const wished = await service.mail.codeFor(NEW)
    await ann.post(VERIFY, { email: THIRD, otp: await service.mail.codeFor(THIRD) })
    assertRefused(await ann.post(VERIFY, { email: NEW, otp: wished }), 'INVALID_OTP')

    const { body } = await browser().post(SECURE, { token: first })

    assert.equal(body.email, former)
    assert.equal(await emailOf(ann), undefined)
    const users = await service.platform.meta.primary
      .selectFrom('user')
      .select('email')
      .where('id', '=', ann.id)
      .execute()
    assert.deepEqual(users, [{ email: former }])
  })

  it('before the code, keeps the address and ends the wish', async ({ service, ann, browser }) => {
    await ann.post(CHANGE, { newEmail: NEW })

    const { body } = await browser().post(SECURE, { token: await tokenAt(service, ann.email) })

    assert.equal(body.email, ann.email)
    const thief = new Person(service, ann.email, NEW_PASSWORD)
    const reset = { email: ann.email, otp: await service.mail.codeFor(ann.email), password: NEW_PASSWORD }
    await thief.post('/api/auth/email-otp/reset-password', reset)
    await thief.signIn()
    const otp = await service.mail.codeFor(NEW)
    assertRefused(await thief.post(VERIFY, { email: NEW, otp }), 'INVALID_OTP')
  })
})
