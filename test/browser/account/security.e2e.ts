import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { build } from 'esbuild'
import * as OTPAuth from 'otpauth'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { addApp } from '../../service/devices/factors.ts'
import { Person } from '../../service/people.ts'
import { assertAccessible } from '../support/accessible.ts'
import { failing, fillSignIn } from '../support/acts.ts'
import { test } from '../support/test.ts'

const { security, secondStep, signIn, common } = en

/** Adds Chromium's virtual authenticator, with a user who is present and verified. */
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
  await page.getByRole('button', { name: security.addPasskey }).click()
  await expect(page.getByText(security.passkeyAdded)).toBeVisible()
  await page.context().clearCookies()
  await page.goto('/sign-in?next=/settings/security')
}

async function enterCode(page: Page, code: string) {
  for (const [at, digit] of [...code].entries()) await page.getByLabel(en.verify.digit(at + 1)).fill(digit)
}

/** Skips the sign-in, for which an account with a second factor would need a code. */
async function takeCookies(page: Page, { cookies }: Person, url: string): Promise<void> {
  await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url })))
}

test.describe('the page "Security"', () => {
  test('names a trusted device in Chinese, and says why it stays', async ({ openPage, service, ann }) => {
    const app = await addApp(service, ann)
    const there = new Person(service, ann.email, ann.password)
    await there.signIn()
    const sent = { code: app.code(), trustDevice: true }
    await there.post('/api/auth/two-factor/verify-totp', sent, { 'user-agent': 'Chrome/126 Linux' })
    await there.post('/api/auth/sign-out')
    const page = await openPage({ locale: 'zh-CN' })
    await takeCookies(page, ann, service.config.baseUrl)
    await failing(page, '/api/auth/two-factor/revoke-trusted-device')

    await page.goto('/settings/security')
    await expect(page.getByText('Linux 上的 Chrome')).toBeVisible()
    await page.getByRole('button', { name: zh.security.untrust }).click()

    await expect(page.getByRole('alert').getByText(zh.failures.INTERNAL_ERROR)).toBeVisible()
  })

  test('adds an app, shows backup codes, and sign-in asks for a code', async ({ enterAs, service, ann }) => {
    const page = await enterAs(ann, '/settings/security')

    await page.getByRole('button', { name: security.addApp }).click()
    await expect(page.getByRole('img', { name: security.qrCode })).toBeVisible()
    await assertAccessible(page)
    const secret = (await page.locator('code').textContent()) ?? ''
    const app = new OTPAuth.TOTP({ secret: OTPAuth.Secret.fromBase32(secret) })
    await expect(page.getByRole('link', { name: security.openApp })).toHaveAttribute('href', /^otpauth:/)
    await expect(page.getByRole('button', { name: security.copyKey })).toBeVisible()
    await enterCode(page, app.generate({ timestamp: service.clock.now() }))
    const codes = page.getByRole('list', { name: security.backup }).locator('li')
    await expect(codes).toHaveCount(10)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: common.download }).click()
    const saved = await readFile(await (await download).path(), 'utf8')
    assert.deepEqual(saved.trim().split('\n'), await codes.allTextContents())

    service.clock.advance({ seconds: 30 })
    const other = await enterAs(ann, '/sign-in?next=/settings/security')
    await expect(other.getByRole('heading', { name: secondStep.title })).toBeVisible()
    await assertAccessible(other)
    await other.getByRole('button', { name: signIn.submit, exact: true }).click()
    await expect(other.getByText(en.form.codeIncomplete)).toBeVisible()
    await enterCode(other, app.generate({ timestamp: service.clock.now() }))
    await expect(other.getByText(security.next.second)).toBeVisible()
    // The password, the linked accounts and the devices are on the same page.
    for (const name of [en.settings.password, en.settings.accounts, en.settings.sessions])
      await expect(other.getByRole('heading', { name, exact: true })).toBeVisible()
  })

  test('says which ways are left when strangers have used up the guesses of the day', async ({
    enterAs,
    service,
    ann,
  }) => {
    const app = await addApp(service, ann)
    const { keyValue } = service.platform
    await keyValue.increment(`limit:strangers-code-guesses:second-step:${ann.id}`, 24 * 3600, 60)
    const page = await enterAs(ann, '/sign-in')

    await enterCode(page, app.code())

    await expect(page.getByText(secondStep.usedUp)).toBeVisible()
    await assertAccessible(page)
  })

  test('shows a QR code in black on white, and edges in forced colours', async ({ enterAs, ann }) => {
    const page = await enterAs(ann, '/settings/security', { colorScheme: 'dark' })
    await page.getByRole('button', { name: security.addApp }).click()
    const code = page.getByRole('img', { name: security.qrCode })

    for (const look of [{}, { colorScheme: 'light' }, { colorScheme: 'dark', forcedColors: 'active' }] as const) {
      await page.emulateMedia(look)
      const picture = (await code.screenshot()).toString('base64')
      // The zone around the code, and the square in its corner.
      const colours = await page.evaluate(coloursAt(picture, [10, 18]))
      assert.deepEqual(colours, ['255,255,255', '0,0,0'], JSON.stringify(look))
    }
    await expect(page.locator('svg[role=img] > rect')).toHaveCSS('fill', 'rgb(255, 255, 255)')
    await expect(page.getByRole('button', { name: security.confirm })).toHaveCSS('border-top-width', '1px')
  })

  const BROWSERS = {
    'a browser of today': '',
    'a browser without the standard’s JSON': 'delete PublicKeyCredential.parseRequestOptionsFromJSON',
  }
  for (const [name, limit] of Object.entries(BROWSERS)) {
    test(`adds a passkey that signs in alone and counts once: ${name}`, async ({ page, service, ann }) => {
      await page.addInitScript({ content: `${limit}\n${WITHOUT_OFFER}` })
      await addPasskey(page, ann)

      await page.getByRole('button', { name: secondStep.signIn }).click()
      await expect(page.getByText(security.next.codes)).toBeVisible()

      const elsewhere = await new Person(service, ann.email, ann.password).signIn()
      assert.deepEqual(elsewhere.body, { twoFactorRedirect: true, twoFactorMethods: ['passkey'] })
    })

    test(`signs in with a passkey offered in the field for the address: ${name}`, async ({ page, ann }) => {
      await page.addInitScript({ content: limit })

      await addPasskey(page, ann)

      await expect(page.getByText(security.next.codes)).toBeVisible()
    })
  }

  test('asks for a passkey if there is no app, and takes a backup code instead', async ({ page, ann }) => {
    await page.addInitScript({ content: WITHOUT_OFFER })
    await addPasskey(page, ann)

    await fillSignIn(page, ann.email, ann.password)
    await expect(page.getByText(secondStep.leadPasskey)).toBeVisible()
    await expect(page.getByLabel(en.verify.digit(1))).toHaveCount(0)
    await assertAccessible(page)
    await page.getByRole('button', { name: secondStep.useBackup }).click()
    await expect(page.getByText(secondStep.leadBackup)).toBeVisible()
    await expect(page.getByLabel(secondStep.backupCode)).toBeVisible()
    await expect(page.getByRole('button', { name: secondStep.useApp })).toHaveCount(0)
    await page.getByRole('button', { name: secondStep.usePasskey }).click()
    await expect(page.getByText(security.next.codes)).toBeVisible()
  })

  test('offers no passkey after the password if the account has none', async ({ enterAs, service, ann }) => {
    await addApp(service, ann)

    const page = await enterAs(ann, '/sign-in')

    await expect(page.getByText(secondStep.lead)).toBeVisible()
    await expect(page.getByRole('button', { name: secondStep.usePasskey })).toHaveCount(0)
  })

  test('lists what protects the account, missing parts first', async ({ page, service, ann }) => {
    await changeSettings(service, 'email', { provider: 'outbox' })
    await addApp(service, ann)
    await takeCookies(page, ann, service.config.baseUrl)

    await page.goto('/settings/security')

    await expect(page.getByText(security.next.address)).toBeVisible()
    const { guards } = security
    await expect(page.locator('main section').first().locator('li')).toHaveText(
      [
        `${guards.address} ${guards.verified(false)}`,
        `${security.passkeys} 0`,
        `${guards.password} ${guards.set(true)}`,
        `${security.app} ${guards.set(true)}`,
        `${security.backup} ${guards.left(10)}`,
      ],
      { useInnerText: true },
    )
  })

  test('a passkey makes an account, and confirms it later', async ({ page, service, administrator }) => {
    await administrator.saveSettings('authentication', { email_verification_required: false })
    await addAuthenticator(page)
    await page.goto('/sign-up?next=/settings/data')

    await page.getByRole('button', { name: secondStep.signUp }).click()
    await expect(page.getByText(secondStep.signUpNeedsEmail)).toBeVisible()
    await page.getByLabel(en.common.email).fill('dora@example.com')
    await page.getByRole('button', { name: secondStep.signUp }).click()
    await expect(page.getByRole('heading', { name: en.data.exportTitle })).toBeVisible()
    service.clock.advance({ minutes: 16 })
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: en.common.download }).click()
    await expect(page.getByText(en.fresh.byPasskey)).toBeVisible()
    await assertAccessible(page)
    await page.getByRole('button', { name: en.secondStep.usePasskey }).click()

    assert.equal((await downloading).suggestedFilename(), 'my-data.json')
  })

  test('offers no passkey at sign-up if the settings allow none', async ({ page, administrator }) => {
    await administrator.saveSettings('authentication', { passkey_sign_up_enabled: false })

    await page.goto('/sign-up')

    await expect(page.getByRole('button', { name: en.signUp.submit })).toBeVisible()
    await expect(page.getByRole('button', { name: secondStep.signUp })).toHaveCount(0)
  })

  test('is the only page for a user who lacks a required factor', async ({ enterAs, administrator, ann }) => {
    await administrator.saveSettings('authentication', { second_factor: 'required' })

    const page = await enterAs(ann, '/')

    await expect(page.getByText(security.required)).toBeVisible()
    await expect(page).toHaveURL('/settings/security')
  })
})

type Packages = Readonly<Record<'core' | 'passkey', string>>

const PUBLISHED = {
  1.6: { core: 'better-auth', passkey: '@better-auth/passkey' },
  1.7: { core: 'better-auth-1.7', passkey: 'better-auth-passkey-1.7' },
}

test.describe('checklist 86: the published passkey client', () => {
  for (const [version, packages] of Object.entries(PUBLISHED)) {
    test(`adds, signs in, names and removes a passkey, unchanged; a replay and a foreign browser open nothing: ${version}`, async ({
      page,
      service,
      ann,
    }) => {
      await addApp(service, ann)
      await page.addInitScript({ content: WITHOUT_OFFER })
      await addAuthenticator(page)
      await page.goto('/sign-in')
      await page.evaluate(await publishedClient(packages))
      await takeCookies(page, ann, service.config.baseUrl)

      const sent = page.waitForRequest('**/verify-authentication')

      const [added, signedIn, listed, named, removed] = await page.evaluate(async () => {
        const client = Reflect.get(globalThis, 'publishedClient')
        const added = await client.passkey.addPasskey({ name: 'Laptop' })
        const signedIn = await client.signIn.passkey()
        const listed = await client.$fetch('/passkey/list-user-passkeys')
        const named = await client.passkey.updatePasskey({ id: added.data.id, name: 'Desk' })
        const removed = await client.passkey.deletePasskey({ id: added.data.id })
        return JSON.parse(JSON.stringify([added, signedIn, listed, named, removed]))
      })
      const body = (await sent).postDataJSON()
      const replayed = await ann.post('/api/auth/passkey/verify-authentication', body)
      const thief = new Person(service, ann.email, ann.password)
      await thief.get('/api/auth/passkey/generate-authenticate-options')
      const foreign = await thief.post('/api/auth/passkey/verify-authentication', body)

      assert.equal(added.data?.name, 'Laptop', JSON.stringify(added))
      assert.equal(signedIn.data?.user?.email, ann.email, JSON.stringify(signedIn))
      expect(listed.data).toMatchObject([{ name: 'Laptop' }])
      assert.equal(named.data?.passkey?.name, 'Desk', JSON.stringify(named))
      assert.equal(removed.data?.status, true, JSON.stringify(removed))
      assert.deepEqual([replayed.status, replayed.body.code], [401, 'INVALID_PASSKEY'])
      assert.deepEqual([foreign.status, foreign.body.code], [404, 'PASSKEY_NOT_FOUND'])
    })
  }
})

/** Bundles the client as a product would. */
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

/** The colours on the diagonal of a picture. */
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
