import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { fillSignIn } from '../support/acts.ts'
import { test } from '../support/test.ts'

test('a slow server is announced until it responds, beside a phone’s menu', async ({ openPage, ann }) => {
  const page = await openPage({ viewport: { width: 390, height: 844 } })
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
  await expect(page.getByText(en.connection.slow)).toBeVisible()
  await page.getByRole('button', { name: en.nav.open }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  release()

  await expect(page.getByText(en.connection.slow)).toHaveCount(0)
  await expect(page.getByLabel(en.feedback.content)).toHaveValue('A wish')
})
