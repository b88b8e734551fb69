import { expect } from '@playwright/test'
import type { Challenge } from '../../src/platform/challenge/challenge.ts'
import { en } from '../../web/src/texts/en.ts'
import { changeSettings } from '../service/change-settings.ts'
import { fillSignIn } from './support/acts.ts'
import { test } from './support/test.ts'

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

/** Responds like the provider's verifier: one response passes. */
const challengeOf = (siteKey: string): Challenge => ({
  siteKey,
  verify: async (response) => response === 'XXXX.DUMMY.TOKEN.XXXX',
})

test.describe('the challenge in the browser', () => {
  test.beforeEach(({ service }) => changeSettings(service, 'authentication', { challenge_enabled: true }))

  test.describe('with its published test key', () => {
    test.use({ serviceOptions: { platform: { challenge: challengeOf(siteKeys.thatPasses) } } })

    test('is passed, on sign-up and sign-in', async ({ page }) => {
      await page.goto('/sign-up')
      await expect(page.getByText(en.challenge.test)).toBeVisible()
      await page.getByLabel(en.common.email).fill('dora@example.com')
      await page.getByLabel(en.common.password, { exact: true }).fill('paper boats drift south')
      await page.getByRole('button', { name: en.signUp.submit }).click()
      await page.getByRole('button', { name: en.nav.signOut }).click()
      await fillSignIn(page, 'dora@example.com', 'paper boats drift south')
      await expect(page.getByRole('heading', { name: en.home.title('dora') })).toBeVisible()
    })
  })

  test.describe('of a site', () => {
    test.use({
      serviceOptions: {
        env: { CHALLENGE_SITE_KEY: siteKeys.ofASite, CHALLENGE_SECRET: 'somebody’s own' },
        platform: { challenge: challengeOf(siteKeys.ofASite) },
      },
    })

    test('is shown by its provider’s widget, and a user who solves it gets in', async ({ page, service }) => {
      await page.route('https://challenges.cloudflare.com/**', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: widget }),
      )

      await page.goto('/sign-in')
      await expect(page.getByLabel(en.challenge.label).getByText(solvedMark)).toBeVisible()
      await fillSignIn(page, service.administrator.email, service.administrator.password)
      await expect(page.getByRole('heading', { name: en.overview.title, exact: true })).toBeVisible()
    })

    test('says what to do if the widget cannot be loaded', async ({ page }) => {
      await page.route('https://challenges.cloudflare.com/**', (route) => route.abort())

      await page.goto('/sign-in')
      await expect(page.getByText(en.challenge.failed)).toBeVisible()
    })
  })
})
