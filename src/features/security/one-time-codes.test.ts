import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { changeSettings } from '../../../test/service/change-settings.ts'
import { addApp, verifyBackupCode, verifyTotp } from '../../../test/service/devices/factors.ts'
import { grantFor } from '../../../test/service/grants.ts'
import { it } from '../../../test/service/it.ts'
import { from } from '../../../test/service/new-browser.ts'
import { Person, people } from '../../../test/service/people.ts'
import { type Service, startService } from '../../../test/service/service.ts'

const GET_SESSION = '/api/auth/get-session'
const VERIFY_TOTP = '/api/auth/two-factor/verify-totp'
const THIEF = from('203.0.113.66')
const OWNER = from('198.51.100.1')

async function world() {
  const service = await startService()
  await changeSettings(service, 'email', { provider: 'smtp' })
  const { administrator, ann, ben } = await people(service)
  const app = await addApp(service, ann)
  return {
    service,
    administrator,
    ann,
    ben,
    app,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

function newBrowser(service: Service, { email, password }: Person): Person {
  return new Person(service, email, password)
}

describe('an authenticator app', () => {
  it('counts only after its first right code, which sends a mail about it', async ({ service }) => {
    await changeSettings(service, 'email', { provider: 'smtp' })
    const { ann } = await people(service)
    const begun = await ann.post('/api/auth/two-factor/enable', { password: ann.password, issuer: 'Owls' })

    const before = await newBrowser(service, ann).signIn()
    const wrong = await verifyTotp(ann, '000000')
    const app = await addApp(service, ann)
    const after = await newBrowser(service, ann).signIn()

    assert.equal(begun.body.method, 'totp')
    assert.match(
      begun.body.totpURI,
      /^otpauth:\/\/totp\/Owls:ann%40example.com\?secret=[A-Z2-7]{32}&issuer=Owls/,
    )
    assert.equal(new Set(app.backupCodes).size, 10)
    for (const code of app.backupCodes) assert.match(code, /^[a-z]{5}-[a-z]{5}$/)
    assert.equal(before.status, 200)
    assert.deepEqual([wrong.status, wrong.body.code], [400, 'INVALID_CODE'])
    assert.deepEqual(after.body, { twoFactorRedirect: true, twoFactorMethods: ['totp'] })
    const letters = await service.mail.sentTo(ann.email)
    const letter = letters.find(({ subject }) => /authenticator app was added/.test(subject))
    assert.match(letter?.text ?? '', /When: .* \(UTC\).*Address: 127\.0\.0\.1/)
  })

  it('opens the session that the first step requested: not remembered, and with its callback address', async () => {
    await using w = await world()
    const browser = newBrowser(w.service, w.ann)
    await browser.post('/api/auth/sign-in/email', {
      email: w.ann.email,
      password: w.ann.password,
      rememberMe: false,
      callbackURL: '/settings',
    })

    const { status, body, headers } = await verifyTotp(browser, w.app.code())

    assert.deepEqual([status, body.url, body.user?.twoFactorEnabled], [200, '/settings', true])
    assert.equal(headers.get('set-auth-token'), body.token)
    const session = headers.getSetCookie().find((line) => line.startsWith('session='))
    assert.doesNotMatch(session ?? '', /Max-Age/)
    assert.equal(browser.cookies.has('two_factor'), false)
    assert.equal((await browser.get(GET_SESSION)).body.user.id, w.ann.id)
  })

  it('checklist 85: a code counts once, also of 20 at once, and not again after it', async () => {
    await using w = await world()
    const browsers = Array.from({ length: 20 }, () => newBrowser(w.service, w.ann))
    for (const browser of browsers) await browser.signIn()
    const code = w.app.code()

    const answers = await Promise.all(browsers.map((browser) => verifyTotp(browser, code)))
    const late = newBrowser(w.service, w.ann)
    await late.signIn()
    const replayed = await verifyTotp(late, code)
    const older = await verifyTotp(late, w.app.code(-30))

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    const refused = new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.code))
    assert.ok([...refused].every((refusal) => refusal === 'INVALID_CODE' || refusal === 'RATE_LIMITED'))
    assert.deepEqual(
      [replayed.status, older.status].filter((status) => status === 200),
      [],
    )
  })

  it('checklist 85: a clock that is one step off is taken, two steps are refused in words', async () => {
    await using w = await world()
    const browser = newBrowser(w.service, w.ann)
    await browser.signIn()

    const far = await verifyTotp(browser, w.app.code(60))
    const near = await verifyTotp(browser, w.app.code(30))

    assert.deepEqual([far.status, far.body.code, near.status], [400, 'INVALID_CODE', 200])
  })

  it('without the cookie of the first step, or after ten minutes, opens nothing', async () => {
    await using w = await world()
    const lost = await verifyTotp(newBrowser(w.service, w.ann), w.app.code())
    const forged = newBrowser(w.service, w.ann)
    forged.cookies.set('two_factor', `gh2_${'a'.repeat(43)}`)
    const made = await verifyTotp(forged, w.app.code())
    const slow = newBrowser(w.service, w.ann)
    await slow.signIn()
    w.service.clock.advance({ minutes: 10 })
    const late = await verifyTotp(slow, w.app.code())

    for (const { status, body } of [lost, made, late]) {
      assert.deepEqual([status, body.code], [401, 'INVALID_TWO_FACTOR_COOKIE'])
    }
  })

  it('a change of the password ends what waits for its second step', async () => {
    await using w = await world()
    const thief = newBrowser(w.service, w.ann)
    await thief.signIn()

    await w.ann.post('/api/auth/change-password', {
      currentPassword: w.ann.password,
      newPassword: 'a quieter walk in the snow',
    })

    const { status, body } = await verifyTotp(thief, w.app.code())
    assert.deepEqual([status, body.code], [401, 'INVALID_TWO_FACTOR_COOKIE'])
  })

  it('guesses wait after ten, and do not delay a browser of the owner', async () => {
    await using w = await world()
    await newBrowser(w.service, w.ann).signIn()
    const thief = newBrowser(w.service, w.ann)
    await thief.signIn()

    const tries: number[] = []
    for (let i = 0; i < 12; i++) tries.push((await verifyTotp(thief, '000000')).status)
    await w.ann.signIn()
    const owner = await verifyTotp(w.ann, w.app.code())

    assert.deepEqual(tries.slice(0, 10), Array(10).fill(400))
    assert.equal(tries.at(-1), 429)
    assert.equal(owner.status, 200)
  })

  it('is removed with the password or a fresh session, and then the password is enough', async () => {
    await using w = await world()
    w.service.clock.advance({ minutes: 16 })

    const stale = await w.ann.post('/api/auth/two-factor/disable')
    const wrong = await w.ann.post('/api/auth/two-factor/disable', { password: 'not hers at all' })
    const removed = await w.ann.post('/api/auth/two-factor/disable', { password: w.ann.password })

    assert.deepEqual([stale.body.code, wrong.status], ['SESSION_NOT_FRESH', 401])
    assert.deepEqual([removed.status, removed.body], [200, { status: true }])
    assert.equal((await newBrowser(w.service, w.ann).signIn()).status, 200)
    assert.equal((await w.ann.get(GET_SESSION)).body.user.twoFactorEnabled, false)
  })

  it('confirms: a code makes the session fresh', async () => {
    await using w = await world()
    w.service.clock.advance({ minutes: 16 })

    const confirmed = await w.ann.post('/api/auth/confirm', { code: w.app.code() })
    const again = await w.ann.post('/api/auth/confirm', { code: w.app.code() })
    const both = await w.ann.post('/api/auth/confirm', { code: w.app.code(), password: w.ann.password })
    const codes = await w.ann.post('/api/auth/two-factor/generate-backup-codes')

    assert.deepEqual([confirmed.status, again.body.code], [200, 'INVALID_CODE'])
    assert.deepEqual([both.status, both.body.code], [400, 'INVALID_REQUEST'])
    assert.equal(codes.body.backupCodes.length, 10)
  })
})

describe('a backup code', () => {
  it('checklist 85: counts once, also of 20 at once, however it is typed; a new set voids the old', async () => {
    await using w = await world()
    const [first = '', second = '', third = ''] = w.app.backupCodes
    const browsers = Array.from({ length: 20 }, () => newBrowser(w.service, w.ann))
    for (const browser of browsers) await browser.signIn()

    const answers = await Promise.all(browsers.map((browser) => verifyBackupCode(browser, first)))
    w.service.clock.advance({ minutes: 15 })
    const typed = newBrowser(w.service, w.ann)
    await typed.signIn()
    const loud = await verifyBackupCode(typed, ` ${second.replace('-', ' ').toUpperCase()} `)
    await w.ann.post('/api/auth/two-factor/generate-backup-codes', { password: w.ann.password })
    const late = newBrowser(w.service, w.ann)
    await late.signIn()
    const old = await verifyBackupCode(late, third)

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(loud.status, 200)
    assert.deepEqual([old.status, old.body.code], [400, 'INVALID_BACKUP_CODE'])
    const letters = await w.service.mail.sentTo(w.ann.email)
    assert.equal(letters.filter(({ subject }) => /backup code was used/.test(subject)).length, 2)
  })

  it('is stored only in a form that cannot be used, like the secret of the app', async () => {
    await using w = await world()
    const rows = JSON.stringify([
      await w.service.platform.meta.selectFrom('backup_code').selectAll().execute(),
      await w.service.platform.meta.selectFrom('totp_factor').selectAll().execute(),
    ])

    for (const code of w.app.backupCodes) assert.ok(!rows.includes(code.replace('-', '')))
    assert.match(rows, /"sealed":"a1\./)
  })
})

describe('a required second factor', () => {
  it('refuses everything but adding one, to grants too, from the next request on', async () => {
    await using w = await world()
    const client = await grantFor(w.ben, 'account:profile:read')
    await w.administrator.saveSettings('authentication', { second_factor: 'required' })

    const post = await w.ben.post('/api/list_notifications')
    const grants = await w.ben.post('/api/list_grants')
    const byGrant = await client.post('/api/export_account')
    const session = await w.ben.get(GET_SESSION)
    const ann = await w.ann.post('/api/list_notifications')
    await addApp(w.service, w.ben)
    const after = await w.ben.post('/api/list_notifications')

    for (const { status, body } of [post, grants, byGrant]) {
      assert.deepEqual([status, body.code], [403, 'SECOND_FACTOR_REQUIRED'])
    }
    assert.deepEqual([session.status, ann.status, after.status], [200, 200, 200])
  })

  it('can be the administrator’s alone, or be switched off for new ones', async () => {
    await using w = await world()
    await w.administrator.saveSettings('authentication', { second_factor: 'required_for_administrator' })
    const administrator = await w.administrator.post('/api/admin/list_users')
    const ben = await w.ben.post('/api/list_notifications')
    await changeSettings(w.service, 'authentication', { second_factor: 'off' })
    const closed = await w.ben.post('/api/auth/two-factor/enable', { password: w.ben.password })
    const stillAsked = await newBrowser(w.service, w.ann).signIn()

    assert.deepEqual([administrator.body.code, ben.status], ['SECOND_FACTOR_REQUIRED', 200])
    assert.deepEqual([closed.status, closed.body.code], [403, 'SECOND_FACTOR_DISABLED'])
    assert.match(JSON.stringify(stillAsked.body), /twoFactorRedirect/)
  })
})

describe('wrong codes of browsers that knew the password before there was a second factor', () => {
  it('checklist 85: are bounded over all of these browsers, and then the owner has a try in each neighbourhood', async () => {
    await using service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
    const { ann } = await people(service)
    const thieves = Array.from({ length: 15 }, () => newBrowser(service, ann))
    for (const thief of thieves) assert.equal((await thief.signIn(THIEF)).status, 200)
    const app = await addApp(service, ann)
    const code = '000000'
    const statuses: number[] = []

    for (const thief of thieves) {
      await thief.signIn(THIEF)
      for (let i = 0; i < 10; i++) statuses.push((await thief.post(VERIFY_TOTP, { code }, THIEF)).status)
    }
    await ann.post('/api/auth/sign-out')
    await ann.signIn(OWNER)
    const owner = await ann.post(VERIFY_TOTP, { code: app.code() }, OWNER)

    assert.equal(statuses.filter((status) => status === 400).length, 100 + 3)
    assert.equal(owner.status, 200)
  })

  it('checklist 85: are bounded in the same way if they all come at once', async () => {
    await using service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
    const { ann } = await people(service)
    const thieves = Array.from({ length: 25 }, () => newBrowser(service, ann))
    for (const thief of thieves) await thief.signIn(THIEF)
    await addApp(service, ann)
    for (const thief of thieves) await thief.signIn(THIEF)

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => thieves)
        .flat()
        .map((thief) => thief.post(VERIFY_TOTP, { code: '000000' }, THIEF)),
    )

    const compared = answers.filter(({ status }) => status === 400)
    assert.ok(compared.length <= 100 + 3, `${compared.length} codes were compared`)
  })
})

describe('remove_factors', () => {
  it('lets a user in who has lost them, is in the audit log and announced by mail', async () => {
    await using w = await world()

    const removed = await w.administrator.post('/api/admin/remove_factors', { id: w.ann.id })

    assert.deepEqual([removed.status, removed.body], [200, {}])
    assert.equal((await newBrowser(w.service, w.ann).signIn()).status, 200)
    const { body } = await w.administrator.post('/api/admin/list_audit_entries', { action: 'factor.reset' })
    assert.equal(body.items[0].subject_id, w.ann.id)
    const letters = await w.service.mail.sentTo(w.ann.email)
    assert.ok(letters.some(({ subject }) => /second factors were removed/.test(subject)))
  })

  it('takes no more of the administrator’s own than the page for it: a confirmed session, and no grant', async () => {
    await using w = await world()
    const { administrator } = w
    await addApp(w.service, administrator)
    w.service.clock.advance({ minutes: 15 })
    const tool = await grantFor(administrator, 'admin:users:write')
    const remove = () => administrator.post('/api/admin/remove_factors', { id: administrator.id })

    const byTool = await tool.post('/api/admin/remove_factors', { id: administrator.id })
    const ofAnn = await tool.post('/api/admin/remove_factors', { id: w.ann.id })
    const stale = await remove()
    const stillAsked = await newBrowser(w.service, administrator).signIn()
    await administrator.post('/api/auth/confirm', { password: administrator.password })
    const fresh = await remove()

    assert.deepEqual([byTool.status, byTool.body.code], [403, 'FORBIDDEN'])
    assert.deepEqual([stale.status, stale.body.code], [403, 'SESSION_NOT_FRESH'])
    assert.match(JSON.stringify(stillAsked.body), /twoFactorRedirect/)
    assert.deepEqual([ofAnn.status, fresh.status], [200, 200])
  })
})
