import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { startService } from '../../service/service.ts'
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
})
