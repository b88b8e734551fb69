import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { enableProvider, linkVia, signInVia } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { AuthenticatorApp, addApp, verifyBackupCode, verifyTotp } from '../../service/devices/factors.ts'
import { acceptWithPasskey, SecurityKey, showPasskey } from '../../service/devices/security-key.ts'
import { Person, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const GET_SESSION = '/api/auth/get-session'
const ASKED = /twoFactorRedirect/

/** Ann has an app; her laptop is trusted, and a thief who has her password is half-way in. */
async function world() {
  const stack = new AsyncDisposableStack()
  const forum = stack.use(await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } }))
  const service = stack.use(await startService({ env: { COMMUNITY_AUTH_URL: forum.url } }))
  await changeSettings(service, 'email', { provider: 'smtp' })
  await enableProvider(service, 'community')
  const { administrator, ann, ben } = await people(service)
  await linkVia(ann, 'community')
  const app = await addApp(service, ann)
  const browser = () => new Person(service, ann.email, ann.password)
  const laptop = browser()
  await laptop.signIn()
  await verifyTotp(laptop, app.code(), true)
  service.clock.advance({ seconds: 30 })
  const thief = browser()
  await thief.signIn()
  const more = { service, administrator, ann, ben, app, browser, laptop, thief }
  return { ...more, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

type World = Awaited<ReturnType<typeof world>>

/** What a sign-in was begun with, or a device trusted for. With each, both end. */
const ENDS: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  'the app is removed': ({ ann }) => ann.post('/api/auth/two-factor/disable', { password: ann.password }),
  'the app is replaced': ({ service, ann }) => addApp(service, ann),
  'the administrator removes the factors': ({ administrator, ann }) =>
    administrator.post('/api/admin/remove_factors', { id: ann.id }),
  'the user is suspended and restored': async ({ administrator, ann }) => {
    await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'Sent spam.' })
    await administrator.post('/api/admin/restore_user', { id: ann.id })
    return ann.signIn()
  },
  'the password is changed': ({ ann }) =>
    ann.post('/api/auth/change-password', { currentPassword: ann.password, newPassword: 'a quiet walk' }),
  'the password is reset': async ({ service, ann }) => {
    await ann.post('/api/auth/email-otp/request-password-reset', { email: ann.email })
    const otp = await service.mail.codeFor(ann.email)
    const { email, password } = ann
    return ann.post('/api/auth/email-otp/reset-password', { email, otp, password })
  },
  'the user signs out everywhere else': ({ ann }) => ann.post('/api/auth/revoke-other-sessions'),
}

describe('half-done sign-ins and trusted devices end when', () => {
  for (const [when, end] of Object.entries(ENDS)) {
    it(`checklist 85: ${when}`, async () => {
      await using w = await world()

      await end(w)

      const tried = await verifyTotp(w.thief, w.app.code())
      const used = await verifyBackupCode(w.thief, w.app.backupCodes[0] ?? '')
      assert.equal(tried.body.code, 'INVALID_TWO_FACTOR_COOKIE')
      assert.equal(used.body.code, 'INVALID_TWO_FACTOR_COOKIE')
      assert.equal((await w.thief.get(GET_SESSION)).body, null)
      const left = await w.service.platform.meta.selectFrom('trusted_device').selectAll().execute()
      assert.deepEqual(left, [])
    })
  }

  it('their provider is unlinked, as far as they began there', async () => {
    await using w = await world()
    const byProvider = stranger(w.service)
    assert.equal(await signInVia(byProvider, 'community'), '/sign-in/second-step?method=totp')

    const unlinked = await w.ann.post('/api/auth/unlink-account', { providerId: 'community' })
    const ended = await verifyTotp(byProvider, w.app.code())
    const byPassword = await verifyTotp(w.thief, w.app.code())

    assert.equal(unlinked.status, 200)
    assert.equal(ended.body.code, 'INVALID_TWO_FACTOR_COOKIE')
    assert.equal(byPassword.status, 200)
  })
})

describe('a secret of an app that was shown and not confirmed', () => {
  it('is useless an hour later', async () => {
    await using w = await world()
    const { body } = await w.ben.post('/api/auth/two-factor/enable', { password: w.ben.password })
    w.service.clock.advance({ minutes: 60 })

    const late = await verifyTotp(w.ben, new AuthenticatorApp(w.service, body).code())

    assert.deepEqual([late.status, late.body.code], [400, 'INVALID_CODE'])
    assert.equal((await w.ben.get(GET_SESSION)).body.user.twoFactorEnabled, false)
  })
})

describe('an app that was added before the address was proven', () => {
  async function withApp() {
    const service = await startService()
    await changeSettings(service, 'email', { provider: 'smtp' })
    const { ann } = await people(service)
    await addApp(service, ann)
    const thief = new Person(service, ann.email, 'the password of a thief')
    const reset = async () => {
      await thief.post('/api/auth/email-otp/request-password-reset', { email: ann.email })
      const otp = await service.mail.codeFor(ann.email)
      const sent = { email: ann.email, otp, password: thief.password }
      return thief.post('/api/auth/email-otp/reset-password', sent)
    }
    return { service, ann, thief, reset, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
  }

  it('checklist 85: stays after a reset if its own browser has proven the address', async () => {
    await using w = await withApp()
    const { email } = w.ann
    await w.ann.post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })
    const otp = await w.service.mail.codeFor(email)
    await w.ann.post('/api/auth/email-otp/verify-email', { email, otp })

    const { status } = await w.reset()

    assert.equal(status, 200)
    assert.match(JSON.stringify((await w.thief.signIn()).body), ASKED)
  })

  it('checklist 67: is gone after a reset that is the first proof', async () => {
    await using w = await withApp()

    await w.reset()

    assert.equal((await w.thief.signIn()).body.user?.email, w.ann.email)
  })
})

describe('checklist 85: the link of an invitation', () => {
  const INVITED = 'dora@example.com'

  /** Invited, and in by the mailed reset instead; the letter lies in the mailbox for a week. */
  async function invited() {
    const service = await startService()
    await changeSettings(service, 'email', { provider: 'smtp' })
    const { administrator } = await people(service)
    await administrator.post('/api/admin/invite_user', { email: INVITED })
    const link = await service.mail.linkFor(INVITED)
    const dora = new Person(service, INVITED, 'a heron on the pier')
    return { service, dora, link, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
  }

  it('bypasses no second factor that was added after it, with a password or a passkey', async () => {
    await using w = await invited()
    const { dora } = w
    await dora.post('/api/auth/email-otp/request-password-reset', { email: INVITED })
    const otp = await w.service.mail.codeFor(INVITED)
    await dora.post('/api/auth/email-otp/reset-password', { email: INVITED, otp, password: dora.password })
    await dora.signIn()
    await addApp(w.service, dora)
    const thief = new Person(w.service, INVITED, 'the password of a thief')
    const key = new SecurityKey(w.service.config.baseUrl)

    const { link } = w
    const byPassword = await thief.post('/api/auth/accept-invitation', {
      email: INVITED,
      link,
      password: thief.password,
    })
    const byPasskey = await acceptWithPasskey(thief, link, key)
    await thief.signIn()
    await showPasskey(thief, key)

    assert.deepEqual([byPassword.status, byPassword.body.code], [400, 'INVALID_OTP'])
    assert.equal(byPasskey.status, 401)
    assert.equal((await thief.get(GET_SESSION)).body, null)
    assert.match(JSON.stringify((await new Person(w.service, INVITED, dora.password).signIn()).body), ASKED)
  })

  it('counts once, of a password and a passkey at once', async () => {
    await using w = await invited()
    const thief = new Person(w.service, INVITED, 'the password of a thief')
    const { link } = w
    const key = new SecurityKey(w.service.config.baseUrl)
    const { email, password } = thief

    const answers = await Promise.all([
      thief.post('/api/auth/accept-invitation', { email, link, password }),
      acceptWithPasskey(new Person(w.service, INVITED, ''), link, key),
      w.dora.post('/api/auth/accept-invitation', { email, link, password: w.dora.password }),
    ])

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })
})

describe('checklist 85: guesses at the second step', () => {
  it('are among the recent sign-ins, and the tenth in a day causes one letter', async () => {
    await using w = await world()

    for (let i = 0; i < 12; i++) {
      await verifyTotp(w.thief, '000000')
      w.service.clock.advance({ minutes: 4 })
      await w.thief.signIn()
    }

    const letters = await w.service.mail.sentTo(w.ann.email)
    assert.equal(letters.filter(({ subject }) => /trying to sign in/.test(subject)).length, 1)
    await w.ann.signIn()
    await verifyTotp(w.ann, w.app.code())
    const { body } = await w.ann.get('/api/auth/security-overview')
    const refused = body.recentSignIns.filter(({ isRefused }: { isRefused: boolean }) => isRefused)
    assert.ok(refused.length >= 10)
    assert.deepEqual([refused[0].by, refused[0].secondStep], ['credential', 'totp'])
  })
})

describe('checklist 85: a sign-in that a suspension overtakes', () => {
  it('says so after the right credential, and only then', async () => {
    await using w = await world()
    const suspend = () =>
      w.administrator.post('/api/admin/suspend_user', { id: w.ben.id, reason: 'Sent spam.' })
    const browsers = Array.from({ length: 12 }, () => new Person(w.service, w.ben.email, w.ben.password))
    const wrong = Array.from({ length: 4 }, () => new Person(w.service, w.ben.email, 'not the password'))

    const signingIn = browsers.map((browser) => browser.signIn())
    const guessing = wrong.map((browser) => browser.signIn())
    await suspend()
    const answers = await Promise.all(signingIn)
    const guesses = await Promise.all(guessing)
    const after = await new Person(w.service, w.ben.email, w.ben.password).signIn()

    for (const { status, body } of answers)
      if (status !== 200) assert.deepEqual([status, body.code], [403, 'ACCOUNT_SUSPENDED'])
    for (const { body } of guesses) assert.equal(body.code, 'INVALID_EMAIL_OR_PASSWORD')
    assert.equal(after.body.code, 'ACCOUNT_SUSPENDED')
    for (const browser of browsers) assert.equal((await browser.get(GET_SESSION)).body, null)
  })
})
