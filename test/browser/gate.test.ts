import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Challenge } from '../../src/platform/challenge/challenge.ts'
import { en } from '../../web/src/texts/en.ts'
import { changeSettings } from '../service/change-settings.ts'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { assertAccessible } from './support/accessible.ts'
import { fillSignIn } from './support/acts.ts'
import { openBrowserSession } from './support/browser-session.ts'

/** The provider's script, as far as the pages use it; it solves itself, and then says so. */
const solvedMark = '✓'
const widget = `window.turnstile = {
  render(place, options) {
    setTimeout(() => {
      options.callback('XXXX.DUMMY.TOKEN.XXXX')
      setTimeout(() => place.append('${solvedMark}'))
    })
    return 'one'
  },
  reset() {}, remove() {},
}`

const siteKeys = { thatPasses: '1x00000000000000000000AA', ofASite: '0x4AAAAAAAsomebodysOwnKey' }

/** As the provider's verifier responds: one response passes. */
const challengeOf = (siteKey: string): Challenge => ({
  siteKey,
  verify: async (response) => response === 'XXXX.DUMMY.TOKEN.XXXX',
})

describe('the challenge in the browser', () => {
  it('is passed with its published test key, on sign-up and sign-in', async () => {
    await using service = await startService({ platform: { challenge: challengeOf(siteKeys.thatPasses) } })
    await changeSettings(service, 'authentication', { challenge_enabled: true })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto('/sign-up')
    await page.getByText(en.challenge.test).waitFor()
    await page.getByLabel(en.common.email).fill('dora@example.com')
    await page.getByLabel(en.common.password, { exact: true }).fill('paper boats drift south')
    await page.getByRole('button', { name: en.signUp.submit }).click()
    await page.getByRole('button', { name: en.nav.signOut }).click()
    await fillSignIn(page, 'dora@example.com', 'paper boats drift south')
    await page.getByRole('heading', { name: en.home.title('dora') }).waitFor()

    assert.deepEqual(browser.complaints, [])
  })

  it('is shown by its provider’s widget, and a user who solves it gets in', async () => {
    await using service = await startService({
      env: { CHALLENGE_SITE_KEY: siteKeys.ofASite, CHALLENGE_SECRET: 'somebody’s own' },
      platform: { challenge: challengeOf(siteKeys.ofASite) },
    })
    await changeSettings(service, 'authentication', { challenge_enabled: true })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.route('https://challenges.cloudflare.com/**', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: widget }),
    )

    await page.goto('/sign-in')
    await page.getByLabel(en.challenge.label).getByText(solvedMark).waitFor()
    await fillSignIn(page, service.administrator.email, service.administrator.password)
    await page.getByRole('heading', { name: en.home.title('admin') }).waitFor()
  })

  it('says what to do if the widget cannot be loaded', async () => {
    await using service = await startService({ platform: { challenge: challengeOf(siteKeys.ofASite) } })
    await changeSettings(service, 'authentication', { challenge_enabled: true })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.route('https://challenges.cloudflare.com/**', (route) => route.abort())

    await page.goto('/sign-in')
    await page.getByText(en.challenge.failed).waitFor()
  })
})

describe('the gate in the browser', () => {
  it('the beta gate asks for a code, refuses a wrong one with a message, and lets a right one through', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await changeSettings(service, 'authentication', { beta_gate_enabled: true })
    const { body } = await administrator.post('/api/admin/generate_beta_codes', { count: 1 })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/notifications')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByLabel(en.beta.code).fill('not-a-code')
    await page.getByRole('button', { name: en.beta.submit }).click()
    await page.getByText(en.failures.INVALID_BETA_CODE).waitFor()
    await assertAccessible(page)
    await page.getByLabel(en.beta.code).fill(body.codes[0])
    await page.getByRole('button', { name: en.beta.submit }).click()
    await page.getByRole('heading', { name: en.notifications.title, exact: true }).waitFor()

    assert.match(page.url(), /\/notifications$/)
    assert.deepEqual(browser.complaints, [])
  })
})
