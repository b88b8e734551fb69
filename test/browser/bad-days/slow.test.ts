import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'

describe('a server that takes its time', () => {
  it('is shown as slow while the user waits, and no longer once it has responded', async () => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.clock.install()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/api/auth/email-otp/request-password-reset', async (route) => {
      await released
      await route.abort()
    })
    await page.goto('/forgot')
    await page.getByLabel(en.common.email).fill('ann@example.com')

    const asked = page.waitForRequest('**/api/auth/email-otp/request-password-reset')
    await page.getByRole('button', { name: en.forgot.submit }).click()
    await asked
    await page.clock.fastForward('00:10')
    await page.getByText(en.connection.slow).waitFor()
    release()
    await page.getByText(en.connection.slow).waitFor({ state: 'detached' })

    assert.equal(await page.getByLabel(en.common.email).inputValue(), 'ann@example.com')
  })

  it('is announced beside the menu button of a phone, not on top of it', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ viewport: { width: 390, height: 844 } })
    await page.clock.install()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/api/submit_feedback', async (route) => {
      await released
      await route.abort()
    })
    await page.goto('/feedback')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByLabel(en.feedback.content).fill('A wish')

    const asked = page.waitForRequest('**/api/submit_feedback')
    await page.getByRole('button', { name: en.feedback.submit }).click()
    await asked
    await page.clock.fastForward('00:10')
    await page.getByText(en.connection.slow).waitFor()

    await page.getByRole('button', { name: en.nav.open }).click()
    await page.getByRole('dialog').waitFor()
    release()
  })
})
