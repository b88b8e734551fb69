import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { AuthenticatorApp, addApp, verifyBackupCode, verifyTotp } from '../../../../test/service/devices/factors.ts'
import { grantFor } from '../../../../test/service/grants.ts'
import { itWith } from '../../../../test/service/it.ts'
import { from, inNewBrowser } from '../../../../test/service/new-browser.ts'
import type { Person } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { WITH_MAIL } from '../../../../test/service/with-mail.ts'

const GET_SESSION = '/api/auth/get-session'
const VERIFY_TOTP = '/api/auth/two-factor/verify-totp'
const ENABLE = '/api/auth/two-factor/enable'
const DISABLE = '/api/auth/two-factor/disable'
const GET_URI = '/api/auth/two-factor/get-totp-uri'
const NEW_BACKUP_CODES = '/api/auth/two-factor/generate-backup-codes'
const CONFIRM = '/api/auth/confirm'
const THIEF = from('203.0.113.66')
const OWNER = from('198.51.100.1')

interface Given {
  /** Ann's authenticator app. */
  readonly app: AuthenticatorApp
  /** A browser in which Ann has passed the first step. */
  readonly half: Person
}

const it = itWith(WITH_MAIL).extend<Given>({
  app: async ({ service, ann }, use) => use(await addApp(service, ann)),
  half: async ({ service, ann, app }, use) => {
    assert.ok(app)
    await use(await halfSignedIn(service, ann))
  },
})

async function halfSignedIn(service: Service, person: Person): Promise<Person> {
  const browser = inNewBrowser(service, person)
  await browser.signIn()
  return browser
}

const count = (answers: readonly { readonly status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length

async function isAnnounced({ mail }: Service, { email }: Person, subject: RegExp) {
  return (await mail.sentTo(email)).filter((letter) => subject.test(letter.subject))
}

describe('an authenticator app', () => {
  it('takes effect with its first correct code, and a mail reports it', async ({ service, ann }) => {
    const begun = await ann.post(ENABLE, { password: ann.password, issuer: 'Owls' })

    const before = await inNewBrowser(service, ann).signIn()
    const wrong = await verifyTotp(ann, '000000')
    const { backupCodes } = await addApp(service, ann)
    const after = await inNewBrowser(service, ann).signIn()

    assert.equal(begun.body.method, 'totp')
    const uri = /^otpauth:\/\/totp\/Owls:ann%40example.com\?secret=[A-Z2-7]{32}&issuer=Owls/
    assert.match(begun.body.totpURI, uri)
    assert.equal(new Set(backupCodes).size, 10)
    for (const code of backupCodes) assert.match(code, /^[a-z]{5}-[a-z]{5}$/)
    assert.equal(before.status, 200)
    assertRefused(wrong, 'INVALID_CODE')
    assert.deepEqual(after.body, { twoFactorRedirect: true, twoFactorMethods: ['totp'] })
    const [letter] = await isAnnounced(service, ann, /authenticator app was added/)
    assert.match(letter?.text ?? '', /When: .* \(UTC\).*Address: 127\.0\.0\.1/)
  })

  it('shows its secret again before and after its first code, and that of its replacement for an hour', async ({
    service,
    ann,
  }) => {
    const shown = async () => {
      const { status, body } = await ann.post(GET_URI, { password: ann.password })
      return status === 200 ? body.totpURI : status
    }
    const none = await shown()
    const first = (await ann.post(ENABLE, { password: ann.password })).body
    const waiting = await shown()
    const confirmed = await verifyTotp(ann, new AuthenticatorApp(service, first).code())
    const inUse = await shown()
    const second = (await ann.post(ENABLE, { password: ann.password })).body
    const replacing = await shown()
    service.clock.advance({ hours: 1 })
    const left = await shown()

    assert.equal(confirmed.status, 200)
    assert.notEqual(second.totpURI, first.totpURI)
    assert.deepEqual(
      [none, waiting, inUse, replacing, left],
      [404, first.totpURI, first.totpURI, second.totpURI, first.totpURI],
    )
  })

  it('opens the session that the first step requested', async ({ service, ann, app }) => {
    const browser = inNewBrowser(service, ann)
    const { email, password } = ann
    const wishes = { rememberMe: false, callbackURL: '/settings' }
    await browser.post('/api/auth/sign-in/email', { email, password, ...wishes })

    const { status, body, headers } = await verifyTotp(browser, app.code())

    assert.deepEqual([status, body.url, body.user?.twoFactorEnabled], [200, '/settings', true])
    assert.equal(headers.get('set-auth-token'), body.token)
    const session = headers.getSetCookie().find((line) => line.startsWith('session='))
    assert.doesNotMatch(session ?? '', /Max-Age/)
    assert.equal(browser.cookies.has('two_factor'), false)
    assert.equal((await browser.get(GET_SESSION)).body.user.id, ann.id)
  })

  it('checklist 85: a code counts once, also of 20 at once, and not after', async ({ service, ann, app }) => {
    const browsers = await Promise.all(Array.from({ length: 20 }, () => halfSignedIn(service, ann)))
    const code = app.code()

    const answers = await Promise.all(browsers.map((browser) => verifyTotp(browser, code)))
    const late = await halfSignedIn(service, ann)

    assert.equal(count(answers, 200), 1)
    const refused = answers.filter(({ status }) => status !== 200)
    for (const { body } of refused) assert.match(body.code ?? '', /^(INVALID_CODE|RATE_LIMITED)$/)
    for (const old of [code, app.code(-30)]) assert.notEqual((await verifyTotp(late, old)).status, 200)
  })

  it('checklist 85: accepts a clock that is one step off, and refuses one that is two off', async ({ app, half }) => {
    assertRefused(await verifyTotp(half, app.code(60)), 'INVALID_CODE')
    assert.equal((await verifyTotp(half, app.code(30))).status, 200)
  })

  it('opens nothing without the first step, or ten minutes after it', async ({ service, ann, app, half }) => {
    const [lost, forged] = [inNewBrowser(service, ann), inNewBrowser(service, ann)]
    forged.cookies.set('two_factor', `gh2_${'a'.repeat(43)}`)
    for (const browser of [lost, forged])
      assertRefused(await verifyTotp(browser, app.code()), 'INVALID_TWO_FACTOR_COOKIE')
    service.clock.advance({ minutes: 10 })
    assertRefused(await verifyTotp(half, app.code()), 'INVALID_TWO_FACTOR_COOKIE')
  })

  it('a password change ends pending second steps', async ({ ann, app, half }) => {
    const change = { currentPassword: ann.password, newPassword: 'a quieter walk in the snow' }
    assert.equal((await ann.post('/api/auth/change-password', change)).status, 200)

    assertRefused(await verifyTotp(half, app.code()), 'INVALID_TWO_FACTOR_COOKIE')
  })

  it('guesses wait after ten, and do not delay a browser of the owner', async ({ ann, app, half: thief }) => {
    const tries: number[] = []
    for (let i = 0; i < 12; i++) tries.push((await verifyTotp(thief, '000000')).status)
    await ann.signIn()

    assert.deepEqual(tries.slice(0, 10), Array(10).fill(400))
    assert.equal(tries.at(-1), 429)
    assert.equal((await verifyTotp(ann, app.code())).status, 200)
  })

  it('is removed with the password or a fresh session', async ({ service, ann, app }) => {
    assert.ok(app)
    service.clock.advance({ minutes: 16 })

    assertRefused(await ann.post(DISABLE), 'SESSION_NOT_FRESH')
    assert.equal((await ann.post(DISABLE, { password: 'not hers at all' })).status, 401)
    const removed = await ann.post(DISABLE, { password: ann.password })

    assert.deepEqual([removed.status, removed.body], [200, { status: true }])
    assert.equal((await inNewBrowser(service, ann).signIn()).status, 200)
    assert.equal((await ann.get(GET_SESSION)).body.user.twoFactorEnabled, false)
  })

  it('makes a session fresh with a code', async ({ service, ann, app }) => {
    service.clock.advance({ minutes: 16 })
    const code = app.code()

    assert.equal((await ann.post(CONFIRM, { code })).status, 200)
    assertRefused(await ann.post(CONFIRM, { code }), 'INVALID_CODE')
    assertRefused(await ann.post(CONFIRM, { code, password: ann.password }), 'INVALID_REQUEST')
    assert.equal((await ann.post(NEW_BACKUP_CODES)).body.backupCodes.length, 10)
  })
})

describe('a backup code', () => {
  it('checklist 85: counts once, also of 20 at once; a new set voids it', async ({ service, ann, app }) => {
    const [first = '', second = '', third = ''] = app.backupCodes
    const browsers = await Promise.all(Array.from({ length: 20 }, () => halfSignedIn(service, ann)))

    const answers = await Promise.all(browsers.map((browser) => verifyBackupCode(browser, first)))
    service.clock.advance({ minutes: 15 })
    const typed = ` ${second.replace('-', ' ').toUpperCase()} `
    const loud = await verifyBackupCode(await halfSignedIn(service, ann), typed)
    await ann.post(NEW_BACKUP_CODES, { password: ann.password })
    const old = await verifyBackupCode(await halfSignedIn(service, ann), third)

    assert.equal(count(answers, 200), 1)
    assert.equal(loud.status, 200)
    assertRefused(old, 'INVALID_BACKUP_CODE')
    assert.equal((await isAnnounced(service, ann, /backup code was used/)).length, 2)
  })

  it('is stored only in a form that cannot be used, as is the secret of the app', async ({ service, app }) => {
    const { meta } = service.platform
    const codes = JSON.stringify(await meta.selectFrom('backup_code').selectAll().execute())
    const secrets = JSON.stringify(await meta.selectFrom('totp_factor').selectAll().execute())

    for (const code of app.backupCodes) assert.ok(!(codes + secrets).includes(code.replace('-', '')))
    assert.match(secrets, /"sealed":"a1\./)
  })
})

describe('a required second factor', () => {
  it('refuses everything but adding one', async ({ service, administrator, ann, ben, app }) => {
    assert.ok(app)
    const client = await grantFor(ben, 'account:profile:read')
    await administrator.saveSettings('authentication', { second_factor: 'required' })
    const list = (person: Person) => person.post('/api/list_notifications')

    for (const answer of [
      await list(ben),
      await ben.post('/api/list_grants'),
      await client.post('/api/export_account'),
    ])
      assertRefused(answer, 'SECOND_FACTOR_REQUIRED')
    assert.deepEqual([(await ben.get(GET_SESSION)).status, (await list(ann)).status], [200, 200])
    await addApp(service, ben)
    assert.equal((await list(ben)).status, 200)
  })

  it('can apply to the administrator alone, or be off', async ({ service, administrator, ben, half }) => {
    await administrator.saveSettings('authentication', { second_factor: 'required_for_administrator' })
    assertRefused(await administrator.post('/api/admin/list_users'), 'SECOND_FACTOR_REQUIRED')
    assert.equal((await ben.post('/api/list_notifications')).status, 200)
    await changeSettings(service, 'authentication', { second_factor: 'off' })

    assertRefused(await ben.post(ENABLE, { password: ben.password }), 'SECOND_FACTOR_DISABLED')
    assert.match(JSON.stringify((await half.signIn()).body), /twoFactorRedirect/)
  })
})

describe('wrong codes of browsers that knew the password before there was a second factor', () => {
  it.override('options', { env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
  const guess = (thief: Person) => thief.post(VERIFY_TOTP, { code: '000000' }, THIEF)

  /** Browsers in which the second step is due; they signed in before there was one. */
  async function thievesBefore(service: Service, ann: Person, count: number) {
    const thieves = Array.from({ length: count }, () => inNewBrowser(service, ann))
    for (const thief of thieves) assert.equal((await thief.signIn(THIEF)).status, 200)
    const app = await addApp(service, ann)
    return { thieves, app }
  }

  it('checklist 85: are bounded over all of these browsers; the owner gets in', async ({ service, ann }) => {
    const { thieves, app } = await thievesBefore(service, ann, 12)
    let compared = 0

    for (const thief of thieves) {
      await thief.signIn(THIEF)
      for (let i = 0; i < 10; i++) if ((await guess(thief)).status === 400) compared += 1
    }
    await ann.post('/api/auth/sign-out')
    await ann.signIn(OWNER)

    assert.equal(compared, 100 + 3)
    assert.equal((await ann.post(VERIFY_TOTP, { code: app.code() }, OWNER)).status, 200)
  })

  it('checklist 85: are bounded in the same way if they all come at once', async ({ service, ann }) => {
    const { thieves } = await thievesBefore(service, ann, 12)
    for (const thief of thieves) await thief.signIn(THIEF)

    const answers = await Promise.all(thieves.flatMap((thief) => Array.from({ length: 10 }, () => guess(thief))))

    const compared = count(answers, 400)
    assert.ok(compared <= 100 + 3, `${compared} codes were compared`)
  })
})

describe('remove_factors', () => {
  const REMOVE = '/api/admin/remove_factors'

  it('lets the user in, who gets a mail, and is in the audit log', async ({ service, administrator, ann, app }) => {
    assert.ok(app)
    const removed = await administrator.post(REMOVE, { id: ann.id })

    assert.deepEqual([removed.status, removed.body], [200, {}])
    assert.equal((await inNewBrowser(service, ann).signIn()).status, 200)
    const { body } = await administrator.post('/api/admin/list_audit_entries', { action: 'factor.reset' })
    assert.equal(body.items[0].subject_id, ann.id)
    assert.equal((await isAnnounced(service, ann, /second factors were removed/)).length, 1)
  })
})
