import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { AuthenticatorApp, addApp, verifyBackupCode, verifyTotp } from '../../service/devices/factors.ts'
import { addPasskey, SecurityKey, showPasskey, signUpWithPasskey } from '../../service/devices/security-key.ts'
import { itWith } from '../../service/it.ts'
import { Person } from '../../service/people.ts'
import { NO_COOLDOWN, WITH_MAIL } from '../../service/with-mail.ts'
import { codeFor, reset, resetCodeFor, verify } from '../support/codes.ts'

const ADDRESS = 'carl@example.com'
const FIRST = 'the first walk in the rain'
const SECOND = 'the second walk in the snow'

interface Fixtures {
  readonly browser: (password?: string) => Person
  /** The browser that signs up. */
  readonly carl: Person
  readonly newKey: () => SecurityKey
  /** The browser enters a code that was mailed to it. */
  readonly prove: (browser: Person) => ReturnType<typeof verify>
  /** The passwords that open a session in a new browser. */
  readonly whatOpens: () => Promise<readonly string[]>
  /** True if the passkey opens a session in a new browser. */
  readonly opens: (key: SecurityKey) => Promise<boolean>
}

const it = itWith({ ...WITH_MAIL, authentication: NO_COOLDOWN }).extend<Fixtures>({
  browser: async ({ service }, use) => use((password = FIRST) => new Person(service, ADDRESS, password)),
  carl: async ({ browser }, use) => use(browser()),
  newKey: async ({ service }, use) => use(() => new SecurityKey(service.config.baseUrl)),
  prove: async ({ service }, use) => use(async (person) => verify(person, await codeFor(service, person))),
  whatOpens: async ({ browser }, use) =>
    use(async () => {
      const statuses = await Promise.all([FIRST, SECOND].map((password) => browser(password).signIn()))
      return [FIRST, SECOND].filter((_, at) => statuses[at]?.status === 200)
    }),
  opens: async ({ browser }, use) => use(async (key) => (await showPasskey(browser(), key)).status === 200),
})

function change(person: Person) {
  const passwords = { currentPassword: FIRST, newPassword: SECOND }
  return person.post('/api/auth/change-password', { ...passwords, revokeOtherSessions: true })
}

function signOut(person: Person) {
  return person.post('/api/auth/sign-out')
}

describe('a proof of the address after a change of the password', () => {
  const between: Readonly<Record<string, (carl: Person, administrator: Person) => Promise<unknown>>> = {
    'a sign-out': signOut,
    'the end of all sessions by the administrator': (carl, administrator) =>
      administrator.post('/api/admin/revoke_user_sessions', { id: carl.id }),
    'a sign-in with the new one': async (carl) => {
      await signOut(carl)
      await carl.post('/api/auth/sign-in/email', { email: ADDRESS, password: SECOND })
      await signOut(carl)
    },
  }
  for (const [what, happens] of Object.entries(between)) {
    it(`121. and ${what} leaves the new one`, async ({ administrator, carl, prove, whatOpens }) => {
      await carl.signUp()
      await change(carl)
      await happens(carl, administrator)

      const verified = await prove(carl)

      assert.deepEqual([verified.status, verified.body.hasPassword], [200, true])
      assert.deepEqual(await whatOpens(), [SECOND])
    })
  }

  it('121. in another browser leaves the new one', async ({ carl, browser, prove, whatOpens }) => {
    await carl.signUp()
    const phone = browser()
    await phone.signIn()
    await change(phone)

    await prove(carl)

    assert.deepEqual(await whatOpens(), [SECOND])
  })

  it('121. at the same moment leaves the new one, also for a program without cookies', async ({
    service,
    carl,
    browser,
    whatOpens,
  }) => {
    await carl.signUp()
    const bearer = { authorization: `Bearer ${carl.token}` }
    const program = browser()
    const otp = await codeFor(service, carl)

    const sent = { currentPassword: FIRST, newPassword: SECOND, revokeOtherSessions: true }
    const [changed, verified] = await Promise.all([
      program.post('/api/auth/change-password', sent, bearer),
      program.post('/api/auth/email-otp/verify-email', { email: ADDRESS, otp }, bearer),
    ])

    assert.deepEqual([changed.status, verified.status], [200, 200])
    assert.deepEqual(await whatOpens(), [SECOND])
  })
})

describe('a proof of the address in a browser that showed a credential after the sign-up', () => {
  it('121. leaves the password that it signed in with', async ({ carl, browser, prove, whatOpens }) => {
    await carl.signUp()
    const phone = browser()
    await phone.signIn()
    await signOut(phone)

    await prove(phone)

    assert.deepEqual(await whatOpens(), [FIRST])
  })

  it('121. leaves the passkey that it signed in with', async ({ carl, browser, newKey, prove, opens }) => {
    const key = newKey()
    await signUpWithPasskey(carl, key)
    const phone = browser()
    await showPasskey(phone, key)
    await signOut(phone)

    await prove(phone)

    assert.equal(await opens(key), true)
  })

  it('121. leaves all after a second step', async ({ service, carl, browser, prove }) => {
    await carl.signUp()
    const app = await addApp(service, carl)
    const phone = browser()
    await phone.signIn()
    await verifyTotp(phone, app.code())
    await signOut(phone)

    await prove(phone)

    assert.deepEqual((await browser().post('/api/auth/sign-in/email', { email: ADDRESS, password: FIRST })).body, {
      twoFactorRedirect: true,
      twoFactorMethods: ['totp'],
    })
  })
})

describe('a proof of the address after passkeys were added and removed', () => {
  it('121. leaves those that are there', async ({ carl, newKey, prove, opens }) => {
    const [first, second] = [newKey(), newKey()]
    await signUpWithPasskey(carl, first)
    await addPasskey(carl, second)
    const { body } = await carl.get('/api/auth/passkey/list-user-passkeys')
    const { id } = body.find(
      ({ credentialID }: { credentialID: string }) => credentialID === first.id.toString('base64url'),
    )
    await carl.post('/api/auth/passkey/delete-passkey', { id })
    await signOut(carl)

    const verified = await prove(carl)

    assert.deepEqual([verified.status, verified.body.hasPassword, verified.body.hasPasskey], [200, false, true])
    assert.deepEqual([await opens(first), await opens(second)], [false, true])
  })
})

describe('what was replaced or removed', () => {
  it('121. is not what the browser of the sign-up brings back after a reset', async ({
    service,
    carl,
    browser,
    prove,
    whatOpens,
  }) => {
    await carl.signUp()
    const phone = browser()
    await reset(phone, await resetCodeFor(service, phone), SECOND)

    await prove(carl)

    assert.deepEqual(await whatOpens(), [SECOND])
  })

  it('121. stays removed when the browser that had set it comes later', async ({
    service,
    carl,
    browser,
    prove,
    whatOpens,
  }) => {
    await carl.signUp()
    const otp = await codeFor(service, carl)
    await prove(browser())

    const late = await verify(carl, otp)
    await prove(carl)

    assert.equal(late.body.code, 'INVALID_OTP')
    assert.deepEqual(await whatOpens(), [])
  })

  it('121. backup codes that were renewed are not replaced by those of an app confirmed later', async ({
    service,
    carl,
    browser,
    newKey,
  }) => {
    await carl.signUp()
    await addPasskey(carl, newKey())
    const enabled = await carl.post('/api/auth/two-factor/enable', { password: FIRST })
    const app = new AuthenticatorApp(service, enabled.body)
    const renewed = await carl.post('/api/auth/two-factor/generate-backup-codes', { password: FIRST })
    await verifyTotp(carl, app.code())

    const opened = []
    for (const code of [app.backupCodes[0], renewed.body.backupCodes[0]]) {
      const phone = browser()
      await phone.signIn()
      opened.push((await verifyBackupCode(phone, code)).body.code)
    }

    assert.deepEqual(opened, ['INVALID_BACKUP_CODE', undefined])
  })
})

describe('a sign-up for an address that somebody else had signed up with, if verification is required', () => {
  it.override('settings', {
    ...WITH_MAIL,
    authentication: { ...NO_COOLDOWN, email_verification_required: true },
  })

  it('121. leaves no password at the proof, and the next one is sent with its code', async ({
    service,
    carl,
    browser,
    prove,
    whatOpens,
  }) => {
    await browser(SECOND).signUp()
    await carl.signUp()

    const verified = await prove(carl)

    assert.deepEqual([verified.status, verified.body.hasPassword], [200, false])
    assert.deepEqual(await whatOpens(), [])
    await reset(carl, await resetCodeFor(service, carl), FIRST)
    assert.deepEqual(await whatOpens(), [FIRST])
  })

  it('121. leaves what the browser that signed up first had set', async ({ carl, browser, prove, whatOpens }) => {
    await carl.signUp()
    await browser(SECOND).signUp()

    await prove(carl)

    assert.deepEqual(await whatOpens(), [FIRST])
  })
})
