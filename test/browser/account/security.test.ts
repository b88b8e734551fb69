import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { build } from 'esbuild'
import * as OTPAuth from 'otpauth'
import type { Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { addApp } from '../../service/devices/factors.ts'
import { Person, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { failing, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { styleOf } from '../support/style-of.ts'

/** Chromium's own, with a user who is there and verified. */
async function addAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** Otherwise the authenticator takes the offer in the field before anybody can press a button. */
const WITHOUT_OFFER = 'PublicKeyCredential.isConditionalMediationAvailable = async () => false'

/** Leads to the sign-in page, where the passkey can be used. */
async function addPasskey(page: Page, { email, password }: Person) {
  await addAuthenticator(page)
  await page.goto('/settings/security')
  await fillSignIn(page, email, password)
  await page.getByRole('button', { name: en.security.addPasskey }).click()
  await page.getByText(en.security.passkeyAdded).waitFor()
  await page.context().clearCookies()
  await page.goto('/sign-in?next=/settings/security')
}

async function enterCode(page: Page, code: string) {
  for (const [at, digit] of [...code].entries()) {
    await page.getByLabel(en.verify.digit(at + 1)).fill(digit)
  }
}

describe('the page "Security"', () => {
  it('names a trusted device in the language of the page', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    const app = await addApp(service, ann)
    const there = new Person(service, ann.email, ann.password)
    await there.signIn()
    const sent = { code: app.code(), trustDevice: true }
    await there.post('/api/auth/two-factor/verify-totp', sent, { 'user-agent': 'Chrome/126 Linux' })
    await there.post('/api/auth/sign-out')
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ locale: 'zh-CN' })
    const cookies = [...ann.cookies].map(([name, value]) => ({ name, value, url: browser.origin }))
    await page.context().addCookies(cookies)

    await page.goto('/settings/security')

    await page.getByText('Linux 上的 Chrome').waitFor()
  })

  it('says why a device stays trusted', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    const app = await addApp(service, ann)
    const there = new Person(service, ann.email, ann.password)
    await there.signIn()
    const sent = { code: app.code(), trustDevice: true }
    await there.post('/api/auth/two-factor/verify-totp', sent, { 'user-agent': 'Chrome/126 Linux' })
    await there.post('/api/auth/sign-out')
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const cookies = [...ann.cookies].map(([name, value]) => ({ name, value, url: browser.origin }))
    await page.context().addCookies(cookies)

    await failing(page, '/api/auth/two-factor/revoke-trusted-device')
    await page.goto('/settings/security')
    await page.getByRole('button', { name: en.security.untrust }).click()

    await page.getByRole('alert').getByText(en.failures.INTERNAL_ERROR).waitFor()
  })

  it('adds an authenticator app by its key, shows the backup codes, and the next sign-in asks for a code', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/settings/security')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByRole('button', { name: en.security.addApp }).click()
    await page.getByRole('img', { name: en.security.qrCode }).waitFor()
    await assertAccessible(page)
    const secret = (await page.locator('code').textContent()) ?? ''
    const app = new OTPAuth.TOTP({ secret: OTPAuth.Secret.fromBase32(secret) })
    await enterCode(page, app.generate({ timestamp: service.clock.now() }))
    await page.getByRole('button', { name: en.security.confirm, exact: true }).click()
    await page.getByRole('list', { name: en.security.backup }).waitFor()
    assert.equal(await page.getByRole('list', { name: en.security.backup }).locator('li').count(), 10)

    service.clock.advance({ seconds: 30 })
    const other = await browser.openPage()
    await other.context().clearCookies()
    await other.goto('/sign-in?next=/settings/security')
    await fillSignIn(other, ann.email, ann.password)
    await other.getByRole('heading', { name: en.secondStep.title }).waitFor()
    await assertAccessible(other)
    await enterCode(other, app.generate({ timestamp: service.clock.now() }))
    await other.getByRole('button', { name: en.secondStep.submit, exact: true }).click()
    await other.getByText(en.security.next.second).waitFor()
    // Devices and tools are on the same page.
    await other.getByRole('heading', { name: en.sessions.title }).waitFor()
    await other.getByText(en.access.emptyTitle).waitFor()

    assert.deepEqual(browser.complaints, [])
  })

  for (const colorScheme of ['light', 'dark'] as const)
    it(`shows the code for the camera in black on white: ${colorScheme}`, async () => {
      await using service = await startService()
      const { ann } = await people(service)
      await using browser = await openBrowserSession(service)
      const page = await browser.openPage({ colorScheme })
      await page.goto('/settings/security')
      await fillSignIn(page, ann.email, ann.password)
      await page.getByRole('button', { name: en.security.addApp }).click()
      const code = page.getByRole('img', { name: en.security.qrCode })
      await code.waitFor()

      const picture = (await code.screenshot()).toString('base64')

      // The zone around the code, and the square in its corner.
      assert.deepEqual(await page.evaluate(coloursAt(picture, [10, 18])), ['255,255,255', '0,0,0'])
      assert.deepEqual(browser.complaints, [])
    })

  it('has a code that can be scanned in the dark, and with forced colours an edge around the main button', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ forcedColors: 'active', colorScheme: 'dark' })
    await page.goto('/settings/security')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByRole('button', { name: en.security.addApp }).click()
    await page.getByRole('img', { name: en.security.qrCode }).waitFor()
    const ground = await styleOf(page.locator('svg[role=img] > rect'), 'fill')
    const edge = await styleOf(page.locator('main button[type=submit]'), 'border-top-width')

    assert.deepEqual([ground, edge], ['rgb(255, 255, 255)', '1px'])
  })

  const browsers = {
    'a browser of today': '',
    'a browser without the standard’s JSON': 'delete PublicKeyCredential.parseRequestOptionsFromJSON',
  }
  for (const [name, limit] of Object.entries(browsers)) {
    it(`adds a passkey, which signs in without a password, and counts once, in ${name}`, async () => {
      await using service = await startService()
      const { ann } = await people(service)
      await using browser = await openBrowserSession(service)
      const page = await browser.openPage()
      await page.addInitScript({ content: limit })
      await page.addInitScript({ content: WITHOUT_OFFER })
      await addPasskey(page, ann)

      await page.getByRole('button', { name: en.secondStep.signIn }).click()
      await page.getByText(en.security.next.codes).waitFor()

      const elsewhere = await new Person(service, ann.email, ann.password).signIn()
      assert.deepEqual(elsewhere.body, { twoFactorRedirect: true, twoFactorMethods: ['passkey'] })
      assert.deepEqual(browser.complaints, [])
    })

    it(`signs in with a passkey that is offered in the field for the address, in ${name}`, async () => {
      await using service = await startService()
      const { ann } = await people(service)
      await using browser = await openBrowserSession(service)
      const page = await browser.openPage()
      await page.addInitScript({ content: limit })

      await addPasskey(page, ann)

      await page.getByText(en.security.next.codes).waitFor()
      assert.deepEqual(browser.complaints, [])
    })
  }

  it('asks for a passkey after the password if the account has no app, and takes a backup code instead', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.addInitScript({ content: WITHOUT_OFFER })
    await addPasskey(page, ann)

    await fillSignIn(page, ann.email, ann.password)
    await page.getByText(en.secondStep.leadPasskey).waitFor()
    const asksForApp = await page.getByLabel(en.verify.digit(1)).count()
    await assertAccessible(page)
    await page.getByRole('button', { name: en.secondStep.useBackup }).click()
    await page.getByText(en.secondStep.leadBackup).waitFor()
    await page.getByLabel(en.secondStep.backupCode).waitFor()
    const offersApp = await page.getByRole('button', { name: en.secondStep.useApp }).count()
    await page.getByRole('button', { name: en.secondStep.usePasskey }).click()
    await page.getByText(en.security.next.codes).waitFor()

    assert.deepEqual([asksForApp, offersApp], [0, 0])
    assert.deepEqual(browser.complaints, [])
  })

  it('offers no passkey after the password if the account has none', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await addApp(service, ann)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/sign-in')

    await fillSignIn(page, ann.email, ann.password)
    await page.getByText(en.secondStep.lead).waitFor()

    assert.equal(await page.getByRole('button', { name: en.secondStep.usePasskey }).count(), 0)
  })

  it('lists what protects the account, missing parts first, and asks for the address once the rest is done', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await changeSettings(service, 'email', { provider: 'outbox' })
    await addApp(service, ann)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const cookies = [...ann.cookies].map(([name, value]) => ({ name, value, url: browser.origin }))
    await page.context().addCookies(cookies)

    await page.goto('/settings/security')
    await page.getByText(en.security.next.address).waitFor()
    const guards = page.locator('main section').first().locator('li')

    const { guards: words } = en.security
    assert.deepEqual(
      (await guards.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')),
      [
        `${words.address} ${words.verified(false)}`,
        `${en.security.passkeys} 0`,
        `${words.password} ${words.set(true)}`,
        `${en.security.app} ${words.set(true)}`,
        `${en.security.backup} ${words.left(10)}`,
      ],
    )
    assert.deepEqual(browser.complaints, [])
  })

  it('a passkey makes an account without a password, and confirms it later', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await administrator.saveSettings('authentication', { email_verification_required: false })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await addAuthenticator(page)
    await page.goto('/sign-up?next=/settings/data')

    await page.getByRole('button', { name: en.secondStep.signUp }).click()
    await page.getByText(en.secondStep.signUpNeedsEmail).waitFor()
    await page.getByLabel(en.common.email).fill('dora@example.com')
    await page.getByRole('button', { name: en.secondStep.signUp }).click()
    await page.getByRole('heading', { name: en.data.exportTitle }).waitFor()
    service.clock.advance({ minutes: 16 })
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: en.data.exportAction }).click()
    await page.getByText(en.fresh.byPasskey).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: en.fresh.passkey }).click()

    assert.equal((await downloading).suggestedFilename(), 'my-data.json')
    assert.deepEqual(browser.complaints, [])
  })

  it('offers no passkey at sign-up if the settings allow none', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await administrator.saveSettings('authentication', { passkey_sign_up_enabled: false })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto('/sign-up')

    await page.getByRole('button', { name: en.signUp.submit }).waitFor()
    assert.equal(await page.getByRole('button', { name: en.secondStep.signUp }).count(), 0)
  })

  it('is the only page for a user who lacks a required factor', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await administrator.saveSettings('authentication', { second_factor: 'required' })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByText(en.security.required).waitFor()

    assert.match(page.url(), /\/settings\/security$/)
  })
})

type Packages = Readonly<Record<'core' | 'passkey', string>>

const PUBLISHED = {
  1.6: { core: 'better-auth', passkey: '@better-auth/passkey' },
  1.7: { core: 'better-auth-1.7', passkey: 'better-auth-passkey-1.7' },
}

describe('checklist 86: the published passkey client', () => {
  for (const [version, packages] of Object.entries(PUBLISHED)) {
    it(`adds, signs in, names and removes a passkey, unchanged; a replay and a foreign browser open nothing: ${version}`, async () => {
      await using service = await startService()
      const { ann } = await people(service)
      await addApp(service, ann)
      await using browser = await openBrowserSession(service)
      const page = await browser.openPage()
      await page.addInitScript({ content: WITHOUT_OFFER })
      await addAuthenticator(page)
      await page.goto('/sign-in')
      await page.evaluate(await publishedClient(packages))
      const token = ann.cookies.get('session') ?? ''
      await page.context().addCookies([{ name: 'session', value: token, url: browser.origin }])

      const sent: string[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('/verify-authentication')) sent.push(request.postData() ?? '')
      })

      const [added, signedIn, listed, named, removed] = await page.evaluate(async () => {
        const client = Reflect.get(globalThis, 'publishedClient')
        const added = await client.passkey.addPasskey({ name: 'Laptop' })
        const signedIn = await client.signIn.passkey()
        const listed = await client.$fetch('/passkey/list-user-passkeys')
        const named = await client.passkey.updatePasskey({ id: added.data.id, name: 'Desk' })
        const removed = await client.passkey.deletePasskey({ id: added.data.id })
        return JSON.parse(JSON.stringify([added, signedIn, listed, named, removed]))
      })
      const body = JSON.parse(sent[0] ?? '')
      const replayed = await ann.post('/api/auth/passkey/verify-authentication', body)

      assert.equal(added.data?.name, 'Laptop', JSON.stringify(added))
      assert.equal(signedIn.data?.user?.email, ann.email, JSON.stringify(signedIn))
      assert.deepEqual([replayed.status, replayed.body.code], [401, 'INVALID_PASSKEY'])
      assert.deepEqual(
        listed.data.map((passkey: { name: string }) => passkey.name),
        ['Laptop'],
      )
      assert.equal(named.data?.passkey?.name, 'Desk', JSON.stringify(named))
      assert.equal(removed.data?.status, true, JSON.stringify(removed))
      const thief = new Person(service, ann.email, ann.password)
      await thief.get('/api/auth/passkey/generate-authenticate-options')
      const foreign = await thief.post('/api/auth/passkey/verify-authentication', body)
      assert.deepEqual([foreign.status, foreign.body.code], [404, 'PASSKEY_NOT_FOUND'])
    })
  }
})

/** As a product would bundle it. */
async function publishedClient({ core, passkey }: Packages): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { createAuthClient } from '${core}/client'
        import { twoFactorClient } from '${core}/client/plugins'
        import { passkeyClient } from '${passkey}/client'
        globalThis.publishedClient = createAuthClient({
          baseURL: location.origin,
          plugins: [passkeyClient(), twoFactorClient()],
        })`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
  })
  return outputFiles[0]?.text ?? ''
}

/** Of a picture, on its diagonal. */
function coloursAt(picture: string, places: readonly number[]): string {
  return `new Promise((resolve) => {
    const image = new Image()
    image.onload = () => {
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width: image.width, height: image.height })
      const drawn = canvas.getContext('2d')
      drawn.drawImage(image, 0, 0)
      resolve(${JSON.stringify(places)}.map((at) => drawn.getImageData(at, at, 1, 1).data.slice(0, 3).join()))
    }
    image.src = 'data:image/png;base64,${picture}'
  })`
}
