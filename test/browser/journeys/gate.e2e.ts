import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { assertAccessible } from '../support/accessible.ts'
import { test } from '../support/test.ts'

test('the beta gate that was just switched on refuses a wrong code with a message, and lets a right one through', async ({
  openConsole,
  enterAs,
  ann,
}) => {
  const page = await openConsole('/console/settings')
  await page.getByText(en.config.fields.beta_gate_enabled, { exact: true }).click()
  await page.getByRole('button', { name: en.common.save }).click()
  await expect(page.getByText(en.config.saved)).toBeVisible()
  await page.goto('/console/beta-codes')
  // A number that was pasted, with a space.
  await page.getByLabel(en.codes.count).fill('2 ')
  await page.getByRole('button', { name: en.codes.makeAction }).click()
  await expect(page.locator('pre')).toHaveText(/^\S+\n\S+$/)
  const [code = ''] = ((await page.locator('pre').textContent()) ?? '').split('\n')

  const visitor = await enterAs(ann, '/notifications')
  const enter = visitor.getByRole('button', { name: en.common.continue })
  await visitor.getByLabel(en.beta.code).fill('not-a-code')
  await enter.click()
  await expect(visitor.getByText(en.failures.INVALID_BETA_CODE)).toBeVisible()
  await assertAccessible(visitor)
  await visitor.getByLabel(en.beta.code).fill(code.toLowerCase())
  await enter.click()
  await expect(visitor.getByRole('heading', { name: en.nav.notifications, exact: true })).toBeVisible()
  await expect(visitor).toHaveURL(/\/notifications$/)

  await page.reload()
  await expect(page.getByRole('row').filter({ hasText: code }).getByText(ann.email)).toBeVisible()
})
