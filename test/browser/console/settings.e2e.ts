import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { assertAccessible } from '../support/accessible.ts'
import { test } from '../support/test.ts'

const save = (page: Page) => page.getByRole('button', { name: en.common.save }).click()

test.describe('settings in the console', () => {
  test('a field that was changed back does not overwrite what another window saved', async ({
    openConsole,
    administrator,
  }) => {
    const { body: before } = await administrator.post('/api/admin/get_authentication_config')
    const page = await openConsole('/console/settings')
    const cooldown = page.getByLabel(en.config.fields.email_user_action_cooldown_seconds)
    await cooldown.fill('90')
    await cooldown.fill(String(before.email_user_action_cooldown_seconds))
    await page.getByText(en.config.fields.beta_gate_enabled, { exact: true }).click()

    await administrator.saveSettings('authentication', { email_user_action_cooldown_seconds: 30 })
    await save(page)
    await expect(page.getByText(en.config.conflictTitle)).toBeVisible()
    await page.getByRole('button', { name: en.config.conflictAction }).click()
    await expect(page.getByText(en.config.conflictTitle)).toHaveCount(0)
    await save(page)
    await expect(page.getByText(en.config.saved)).toBeVisible()

    const { body } = await administrator.post('/api/admin/get_authentication_config')
    expect(body).toMatchObject({ email_user_action_cooldown_seconds: 30, beta_gate_enabled: true })
  })

  test('a provider without a secret is refused; a secret is never shown', async ({ openPage, openConsole }) => {
    const page = await openConsole('/console/settings/providers')
    const google = page.getByRole('group', { name: 'Google' })

    await google.getByText('Google', { exact: true }).last().click()
    await google.getByLabel(en.config.clientId).fill('id-1')
    await save(page)
    await expect(google.getByText(en.config.problems.client_secret)).toBeVisible()
    await google.getByLabel(en.config.clientSecret).fill('a secret of the provider')
    await save(page)
    await expect(page.getByText(en.config.saved)).toBeVisible()
    await expect(google.getByText(en.config.secretConfigured)).toBeVisible()
    expect(await page.content()).not.toContain('a secret of the provider')
    await expect(google.getByText('/api/auth/callback/provider_a')).toBeVisible()
    const visitor = await openPage()
    await visitor.goto('/sign-in')
    await expect(visitor.getByRole('button', { name: en.signIn.with('Google') })).toBeVisible()
  })

  test('where mail is sent is saved once the administrator has confirmed who it is', async ({
    service,
    openConsole,
    administrator,
  }) => {
    const page = await openConsole('/console/settings/email')
    await page.getByLabel(en.config.fields.provider).selectOption({ label: en.config.mailProviders.api })
    await page.getByLabel(en.config.fields.api_key).fill('re_123')
    service.clock.advance({ minutes: 16 })

    await page.getByRole('button', { name: en.config.saveAndTest }).click()
    await page.getByLabel(en.fresh.password).fill(administrator.password)
    await page.getByRole('button', { name: en.common.continue }).click()

    await expect(page.getByText(en.config.saved)).toBeVisible()
    const { body } = await administrator.post('/api/admin/get_email_config')
    expect(body).toMatchObject({ provider: 'api', api_key_configured: true })
  })

  test('a refusal is shown at its field, in the page’s language, until it is changed', async ({ openConsole }) => {
    const page = await openConsole('/console/settings', { locale: 'zh-CN' })
    const verification = page.getByRole('switch', { name: zh.config.fields.email_verification_required })

    await page.getByText(zh.config.fields.email_verification_required, { exact: true }).click()
    await page.getByLabel(zh.config.fields.email_signup_domain_allowlist).fill('not_a_domain')
    await page.getByRole('button', { name: zh.common.save }).click()
    await expect(page.getByText(zh.config.problems.email_signup_domain_allowlist)).toBeVisible()
    await page.getByLabel(zh.config.fields.email_signup_domain_allowlist).fill('example.com')
    await expect(page.getByText(zh.config.problems.email_signup_domain_allowlist)).toHaveCount(0)
    await page.getByRole('button', { name: zh.common.save }).click()
    await expect(page.getByText(zh.config.problems.email_verification_required)).toBeVisible()
    const description = zh.config.problems.email_verification_required
    await expect(page.getByRole('switch', { description }).and(verification)).toBeFocused()
    await assertAccessible(page)
  })

  test('a number that is not whole is not sent', async ({ openConsole, administrator }) => {
    const page = await openConsole('/console/settings/credits')

    await page.getByLabel(en.config.fields.signup_reward_amount).fill('1.5')
    await save(page)
    await expect(page.getByText(en.config.problems.signup_reward_amount)).toBeVisible()
    await page.getByLabel(en.config.fields.signup_reward_amount).fill('15')
    await save(page)
    await expect(page.getByText(en.config.saved)).toBeVisible()

    const { body } = await administrator.post('/api/admin/get_credits_config')
    expect(body).toMatchObject({ signup_reward_amount: 15, version: 2 })
  })

  test('a test mail says whether it was sent', async ({ openConsole, service }) => {
    const page = await openConsole('/console/settings/email')

    await page.getByLabel(en.config.fields.provider).selectOption({ label: en.config.mailProviders.outbox })
    await page.getByRole('button', { name: en.config.saveAndTest }).click()
    await expect(page.getByText(en.config.testMailSent(service.administrator.email))).toBeVisible()
    await page.getByLabel(en.common.email, { exact: true }).fill('carl@example.com')
    await page.getByRole('button', { name: en.config.testMailSend }).click()
    await expect(page.getByText(en.config.testMailSent('carl@example.com'))).toBeVisible()
    service.mail.refuse('mailbox of carl is full')
    await page.getByRole('button', { name: en.config.testMailSend }).click()

    await expect(page.getByRole('alert').filter({ hasText: 'mailbox of carl is full' })).toBeVisible()
    expect(await service.mail.sentTo('carl@example.com')).toHaveLength(1)
  })
})
