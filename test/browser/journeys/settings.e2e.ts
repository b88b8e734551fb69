import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { test } from '../support/test.ts'

const save = (page: Page) => page.getByRole('button', { name: en.common.save }).click()

test('a save of settings is seen by the next sign-up page', async ({ openPage, openConsole }) => {
  const page = await openConsole('/console/settings')

  await page.getByText(en.config.fields.registration_enabled, { exact: true }).click()
  await save(page)
  await expect(page.getByText(en.config.saved)).toBeVisible()
  const visitor = await openPage()
  await visitor.goto('/sign-up')

  await expect(visitor.getByText(en.signUp.closedTitle)).toBeVisible()
})

test('with settings of two tabs in conflict, the later one says so, keeps what it changed, and can save again', async ({
  openConsole,
  administrator,
}) => {
  const first = await openConsole('/console/settings')
  await expect(first.getByLabel(en.config.fields.email_user_action_cooldown_seconds)).toBeVisible()
  const second = await first.context().newPage()
  await second.goto('/console/settings')
  await second.getByLabel(en.config.fields.email_user_action_cooldown_seconds).fill('90')

  await first.getByText(en.config.fields.beta_gate_enabled, { exact: true }).click()
  await save(first)
  await expect(first.getByText(en.config.saved)).toBeVisible()
  await save(second)
  await expect(second.getByText(en.config.conflictTitle)).toBeVisible()
  await second.getByRole('button', { name: en.config.conflictAction }).click()
  await expect(second.getByText(en.config.conflictTitle)).toHaveCount(0)
  await expect(second.getByLabel(en.config.fields.email_user_action_cooldown_seconds)).toHaveValue('90')
  await expect(second.getByRole('switch', { name: en.config.fields.beta_gate_enabled, checked: true })).toBeVisible()
  await save(second)
  await expect(second.getByText(en.config.saved)).toBeVisible()

  const { body } = await administrator.post('/api/admin/get_authentication_config')
  expect(body).toMatchObject({ email_user_action_cooldown_seconds: 90, beta_gate_enabled: true })
})
