import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { importUsers } from '../../../src/operator/transfer/users/users-file.ts'
import { startHttpServer } from '../../processes/http-server.ts'
import { enableProvider, signInVia } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { describe, it } from '../../running/node-test.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { attestedWithListAt } from '../../service/devices/android-key.ts'
import {
  acceptWithPasskey,
  addPasskey,
  SecurityKey,
  showPasskey,
  signUpWithPasskey,
} from '../../service/devices/security-key.ts'
import { foreignHashes } from '../../service/foreign-hashes.ts'
import { from } from '../../service/new-browser.ts'
import { Person, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { serviceWithMail } from '../../service/with-mail.ts'

const GET_SESSION = '/api/auth/get-session'

async function world() {
  const service = await startService()
  await changeSettings(service, 'email', { provider: 'smtp' })
  const { administrator, ann, ben } = await people(service)
  const key = new SecurityKey(service.config.baseUrl)
  const added = await addPasskey(ann, key)
  assert.equal(added.status, 200, JSON.stringify(added.body))
  const browser = () => new Person(service, ann.email, ann.password)
  return {
    service,
    administrator,
    ann,
    ben,
    key,
    browser,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

describe('a passkey', () => {
  it('with user verification is both factors, without it one: alone it opens nothing', async () => {
    await using w = await world()
    const verified = w.browser()
    const present = w.browser()
    const second = w.browser()

    const alone = await showPasskey(verified, w.key)
    const unverified = await showPasskey(present, w.key, { isUserVerified: false })
    const { body: asked } = await second.signIn()
    const afterPassword = await showPasskey(second, w.key, { isUserVerified: false })

    assert.deepEqual([alone.status, alone.body.user.id], [200, w.ann.id])
    assert.deepEqual([unverified.status, unverified.body.code], [401, 'INVALID_PASSKEY'])
    assert.deepEqual(asked, { twoFactorRedirect: true, twoFactorMethods: ['passkey'] })
    assert.equal(afterPassword.status, 200)
    assert.equal((await present.get(GET_SESSION)).body, null)
  })

  it('signs the administrator in with the password marked as initial until it is changed', async () => {
    await using w = await world()
    const { administrator } = w
    const key = new SecurityKey(w.service.config.baseUrl)
    await addPasskey(administrator, key)
    const browser = () => new Person(w.service, administrator.email, administrator.password)
    const second = browser()
    await second.signIn()

    const answers = [await showPasskey(browser(), key), await showPasskey(second, key)]

    assert.deepEqual(
      answers.map(({ body }) => body.user.passwordIsInitial),
      [true, true],
    )
  })

  it('checklist 86: of another origin, name, challenge or user opens nothing', async () => {
    await using w = await world()
    const before = w.browser()
    const { body: old } = await before.get('/api/auth/passkey/generate-authenticate-options')

    const answers = [
      await showPasskey(w.browser(), w.key, { origin: 'https://evil.example' }),
      await showPasskey(w.browser(), w.key, { relyingParty: 'evil.example' }),
      await showPasskey(w.browser(), w.key, { challenge: old.challenge }),
      await showPasskey(w.ben, w.key),
    ]
    const foreign = await addPasskey(w.ben, new SecurityKey('https://evil.example'))

    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.code]),
      [
        [401, 'INVALID_PASSKEY'],
        [401, 'INVALID_PASSKEY'],
        [401, 'INVALID_PASSKEY'],
        [404, 'PASSKEY_NOT_FOUND'],
      ],
    )
    assert.deepEqual([foreign.status, foreign.body.code], [401, 'INVALID_PASSKEY'])
    assert.equal((await w.ben.get(GET_SESSION)).body.user.id, w.ben.id)
  })

  it('checklist 86: options are for the browser that asked, for five minutes and one answer, of 20 at once', async () => {
    await using w = await world()
    const browser = w.browser()
    const { body: options } = await browser.get('/api/auth/passkey/generate-authenticate-options')
    const verify = (person: Person, response: unknown) =>
      person.post('/api/auth/passkey/verify-authentication', { response })
    const response = w.key.show(options)
    const copies = Array.from({ length: 20 }, () => {
      const copy = w.browser()
      for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
      return copy
    })

    const elsewhere = await verify(w.browser(), response)
    const answers = await Promise.all(copies.map((copy) => verify(copy, response)))
    const slow = w.browser()
    const { body: early } = await slow.get('/api/auth/passkey/generate-authenticate-options')
    w.service.clock.advance({ minutes: 5 })
    const late = await verify(slow, w.key.show(early))

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const { status, body } of [elsewhere, late, ...answers.filter((answer) => answer.status !== 200)]) {
      assert.deepEqual([status, body.code], [401, 'INVALID_PASSKEY'])
    }
  })

  it('checklist 79: of a stranger leaves 120 rows a minute for each network, a /64 being one', async () => {
    await using service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
    const respond = async (address: string) => {
      const person = stranger(service)
      const { body: options } = await person.get('/api/auth/passkey/generate-authenticate-options')
      const response = new SecurityKey(service.config.baseUrl).show(options)
      return person.post('/api/auth/passkey/verify-authentication', { response }, from(address))
    }
    const statuses = new Set<number>()
    for (let i = 1; i <= 120; i++) statuses.add((await respond(`2001:db8:1:2::${i.toString(16)}`)).status)

    const same = await respond('2001:db8:1:2:ffff::1')
    const other = await respond('2001:db8:1:3::1')
    service.clock.advance({ minutes: 1 })
    const later = await respond('2001:db8:1:2:ffff::1')

    assert.ok(!statuses.has(429))
    assert.deepEqual([same.status, same.body.code], [429, 'RATE_LIMITED'])
    assert.deepEqual([other.body.code, later.body.code], Array(2).fill('PASSKEY_NOT_FOUND'))
  })

  it('checklist 86: of a stranger makes the service call no address, whatever vouches for the key', async (t) => {
    const inside = await startHttpServer(() => ({ body: 'of no concern to strangers' }))
    t.after(() => inside.stop())
    await using service = await startService()
    const attested = attestedWithListAt(`${inside.url}/revoked`)
    const key = new SecurityKey(service.config.baseUrl)

    const { status } = await signUpWithPasskey(stranger(service), key, { attested })

    assert.deepEqual([status, inside.heard], [200, []])
  })

  it('checklist 86: that seems copied is refused, and its owner gets an email, once a day', async () => {
    await using w = await world()
    await showPasskey(w.browser(), w.key, { counter: 7 })

    const copies = [
      await showPasskey(w.browser(), w.key, { counter: 7 }),
      await showPasskey(w.browser(), w.key, { counter: 3 }),
      await showPasskey(w.browser(), w.key, { counter: 0 }),
    ]
    const next = await showPasskey(w.browser(), w.key, { counter: 8 })

    for (const { status, body } of copies) {
      assert.deepEqual([status, body.code], [401, 'INVALID_PASSKEY'])
      assert.match(body.message, /copied/)
    }
    assert.equal(next.status, 200)
    const letters = await w.service.mail.sentTo(w.ann.email)
    assert.equal(letters.filter(({ subject }) => /copied passkey was refused/.test(subject)).length, 1)
    const { body } = await w.administrator.post('/api/admin/list_audit_entries', {
      action: 'factor.copy_refused',
    })
    assert.deepEqual([body.total, body.items[0].subject_id], [3, w.ann.id])
  })

  it('checklist 86: has an id of at most 1,023 bytes, and it is the one that the browser names', async () => {
    await using service = await startService()
    const origin = service.config.baseUrl
    const register = async (email: string, key: SecurityKey, named = key) => {
      const carl = stranger(service, email)
      const { body: options } = await carl.post('/api/auth/passkey/generate-sign-up-options', { email })
      const { id, rawId } = named.make(options)
      return carl.post('/api/auth/passkey/verify-sign-up', { response: { ...key.make(options), id, rawId } })
    }

    const longest = await register('a@example.com', new SecurityKey(origin, randomBytes(1_023)))
    const longer = await register('b@example.com', new SecurityKey(origin, randomBytes(1_024)))
    const longer2 = await register(
      'c@example.com',
      new SecurityKey(origin, randomBytes(4_000)),
      new SecurityKey(origin),
    )
    const other = await register('d@example.com', new SecurityKey(origin), new SecurityKey(origin))

    assert.equal(longest.status, 200)
    for (const { status, body } of [longer, longer2, other])
      assert.deepEqual([status, body.code], [401, 'INVALID_PASSKEY'])
  })

  it('is for a handle of at most 64 bytes, as browsers require, also of a user who was imported with a longer id', async () => {
    await using service = await startService()
    const password = 'an owl under the roof'
    const user = {
      id: 'ü'.repeat(100),
      email: 'carl@example.com',
      password_hash: foreignHashes(password).scrypt,
    }
    await importUsers(service.platform, [user], () => undefined)
    const carl = new Person(service, user.email, password)
    await carl.signIn()
    const { body: options } = await carl.get('/api/auth/passkey/generate-register-options')
    const key = new SecurityKey(service.config.baseUrl)
    const added = await addPasskey(carl, key)

    const shown = await showPasskey(new Person(service, user.email, password), key)

    assert.ok(Buffer.from(options.user.id, 'base64url').length <= 64)
    assert.deepEqual([added.status, shown.status, shown.body.user.id], [200, 200, user.id])
  })

  it('signs nobody in before the address is verified, if that is required', async () => {
    await using forum = await startPlainProvider('community', { '/api/user': { id: 7, username: 'dora' } })
    await using service = await startService({ env: { COMMUNITY_AUTH_URL: forum.url } })
    await enableProvider(service, 'community')
    await changeSettings(service, 'email', { provider: 'smtp' })
    await changeSettings(service, 'authentication', {
      passkey_sign_up_enabled: true,
      email_verification_required: true,
    })
    const key = new SecurityKey(service.config.baseUrl)
    const carl = stranger(service)
    const dora = stranger(service, 'dora@example.com')
    await signInVia(dora, 'community')
    const ofDora = new SecurityKey(service.config.baseUrl)
    await addPasskey(dora, ofDora)

    const signedUp = await signUpWithPasskey(carl, key)
    const early = await showPasskey(carl, key)
    const type = 'email-verification'
    await carl.post('/api/auth/email-otp/send-verification-otp', { email: carl.email, type })
    const otp = await service.mail.codeFor(carl.email)
    await carl.post('/api/auth/email-otp/verify-email', { email: carl.email, otp })
    const verified = await showPasskey(carl, key)
    const ofProvider = await showPasskey(stranger(service), ofDora)

    assert.deepEqual([signedUp.status, signedUp.body.token], [200, null])
    assert.deepEqual([early.status, early.body.code], [403, 'EMAIL_NOT_VERIFIED'])
    assert.deepEqual([verified.status, verified.body.user.email], [200, carl.email])
    assert.equal(ofProvider.status, 200)
  })

  it('opens no balance before the address is verified, if that is required: none opens for a taken address', async () => {
    await using service = await serviceWithMail({
      authentication: { passkey_sign_up_enabled: true, email_verification_required: true },
    })

    const { body } = await signUpWithPasskey(stranger(service), new SecurityKey(service.config.baseUrl))

    const balances = await Promise.all(
      [...service.platform.shards.values()].map((shard) =>
        shard.selectFrom('credit_balance').select('balance').where('user_id', '=', body.user.id).execute(),
      ),
    )
    assert.deepEqual(balances.flat(), [])
  })

  for (const required of [true, false]) {
    it(`to a taken address is in the audit log if verification is ${required ? 'required' : 'not required'}`, async () => {
      await using service = await serviceWithMail()
      const { administrator, ann } = await people(service)
      await changeSettings(service, 'authentication', {
        passkey_sign_up_enabled: true,
        email_verification_required: required,
        email_user_action_cooldown_seconds: 0,
      })

      await signUpWithPasskey(stranger(service, ann.email), new SecurityKey(service.config.baseUrl))

      const { body } = await administrator.post('/api/admin/list_audit_entries', {
        action: 'user.sign_up_refused',
      })
      assert.equal(body.total, 1)
    })
  }

  it('makes an account if the settings allow it and the authenticator has verified its user', async () => {
    await using service = await startService()
    await changeSettings(service, 'authentication', { passkey_sign_up_enabled: false })
    const off = await signUpWithPasskey(stranger(service), new SecurityKey(service.config.baseUrl))
    await changeSettings(service, 'authentication', { passkey_sign_up_enabled: true })
    const carl = stranger(service)
    const key = new SecurityKey(service.config.baseUrl)

    const weak = await signUpWithPasskey(carl, key, { isUserVerified: false })
    const made = await signUpWithPasskey(carl, key)
    assert.equal(made.status, 200, JSON.stringify(made.body))
    service.clock.advance({ minutes: 2 })
    const again = await signUpWithPasskey(stranger(service), new SecurityKey(service.config.baseUrl))
    const signedIn = await showPasskey(stranger(service), key)
    const last = await carl.post('/api/auth/passkey/delete-passkey', {
      id: (await carl.get('/api/auth/passkey/list-user-passkeys')).body[0].id,
    })

    assert.deepEqual([off.status, off.body.code], [403, 'SECOND_FACTOR_DISABLED'])
    assert.deepEqual([weak.status, weak.body.code], [401, 'INVALID_PASSKEY'])
    assert.equal(made.body.user.twoFactorEnabled, true)
    assert.equal((await carl.get(GET_SESSION)).body.user.email, carl.email)
    assert.deepEqual([again.status, again.body.code], [422, 'USER_ALREADY_EXISTS'])
    assert.equal(signedIn.status, 200)
    assert.equal(last.body.code, 'FAILED_TO_UNLINK_LAST_ACCOUNT')
  })

  it('that is registered already makes no account that nobody could sign in to, and spends no invitation', async () => {
    await using w = await world()
    const email = 'dora@example.com'
    await w.administrator.post('/api/admin/invite_user', { email })
    const link = await w.service.mail.linkFor(email)
    const dora = stranger(w.service, email)
    const carl = stranger(w.service)

    const accepted = await acceptWithPasskey(dora, link, w.key)
    const signedUp = await signUpWithPasskey(carl, w.key)
    await changeSettings(w.service, 'authentication', { email_verification_required: true })
    const taken = await signUpWithPasskey(stranger(w.service, w.ben.email), w.key)
    const other = await acceptWithPasskey(dora, link, new SecurityKey(w.service.config.baseUrl))

    for (const { status, body } of [accepted, signedUp, taken])
      assert.deepEqual([status, body.code], [401, 'INVALID_PASSKEY'])
    assert.equal(other.status, 200)
    assert.equal((await w.administrator.post('/api/admin/list_users', { search: carl.email })).body.total, 0)
  })

  it('that is new makes one account of two sign-ups at once', async () => {
    await using w = await world()
    const newcomers = ['dora@example.com', 'carl@example.com'].map((email) => stranger(w.service, email))
    const key = new SecurityKey(w.service.config.baseUrl)

    const answers = await Promise.all(newcomers.map((person) => signUpWithPasskey(person, key)))
    const refusedAt = answers.findIndex(({ status }) => status !== 200)
    const search = newcomers[refusedAt]?.email
    const { body: users } = await w.administrator.post('/api/admin/list_users', { search })
    const again = await signUpWithPasskey(
      stranger(w.service, search),
      new SecurityKey(w.service.config.baseUrl),
    )

    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401])
    assert.equal(answers[refusedAt]?.body.code, 'INVALID_PASSKEY')
    assert.equal(users.total, 0)
    assert.equal(again.status, 200)
  })

  it('that is new spends one of two invitations at once', async () => {
    await using w = await world()
    const newKey = () => new SecurityKey(w.service.config.baseUrl)
    const invited = []
    for (const email of ['dora@example.com', 'carl@example.com']) {
      await w.administrator.post('/api/admin/invite_user', { email })
      const link = await w.service.mail.linkFor(email)
      invited.push((key: SecurityKey) => acceptWithPasskey(stranger(w.service, email), link, key))
    }
    const key = newKey()

    const answers = await Promise.all(invited.map((accept) => accept(key)))
    const refusedAt = answers.findIndex(({ status }) => status !== 200)
    const again = await invited[refusedAt]?.(newKey())

    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401])
    assert.equal(answers[refusedAt]?.body.code, 'INVALID_PASSKEY')
    assert.equal(again?.status, 200)
  })

  it('that was begun by an earlier invitation does not spend one of a later account with the same address', async () => {
    await using w = await world()
    const dora = stranger(w.service, 'dora@example.com')
    const invite = async () => {
      const { body } = await w.administrator.post('/api/admin/invite_user', { email: dora.email })
      return { id: body.id, link: await w.service.mail.linkFor(dora.email) }
    }
    const earlier = await invite()
    const options = await dora.post('/api/auth/passkey/generate-invitation-options', {
      email: dora.email,
      link: earlier.link,
    })
    await w.administrator.post('/api/admin/delete_user', { id: earlier.id })
    const { link } = await invite()
    const key = new SecurityKey(w.service.config.baseUrl)

    const response = key.make(options.body)
    const mixed = await dora.post('/api/auth/passkey/accept-invitation', {
      email: dora.email,
      link,
      response,
    })
    const accepted = await acceptWithPasskey(dora, link, key)

    assert.deepEqual([mixed.status, mixed.body.code], [400, 'INVALID_OTP'])
    assert.equal(accepted.status, 200)
    assert.equal((await showPasskey(dora, key)).status, 200)
  })

  it('of one authenticator is added once, and an account has at most 20, however many at once', async () => {
    await using w = await world()
    const keys = Array.from({ length: 25 }, () => new SecurityKey(w.service.config.baseUrl))
    const browsers = keys.map(() => {
      const browser = w.browser()
      browser.cookies.set('session', w.ann.cookies.get('session') ?? '')
      return browser
    })

    const twice = await addPasskey(w.ann, w.key)
    w.service.clock.advance({ minutes: 14 })
    const options = '/api/auth/passkey/generate-register-options'
    const begun = await Promise.all(browsers.map((browser) => browser.get(options)))
    const answers = await Promise.all(
      browsers.map((browser, at) => {
        const response = keys[at]?.make(begun[at]?.body)
        return browser.post('/api/auth/passkey/verify-registration', { response })
      }),
    )

    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(twice.body.code, 'INVALID_PASSKEY')
    assert.deepEqual(
      refused.map(({ status, body }) => [status, body.code]),
      Array(25 - 19).fill([400, 'INVALID_REQUEST']),
    )
    assert.equal((await w.ann.get('/api/auth/passkey/list-user-passkeys')).body.length, 20)
  })
})
