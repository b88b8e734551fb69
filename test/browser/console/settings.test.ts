import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { enterAs } from '../support/enter-as.ts'

const save = (page: Page) => page.getByRole('button', { name: en.common.save }).click()

describe('settings in the console', () => {
  it('a save is seen by the next sign-up page', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console/settings')

    await page.getByText(en.config.registration, { exact: true }).click()
    await save(page)
    await page.getByText(en.config.saved).waitFor()
    const visitor = await browser.openPage()
    await visitor.goto('/sign-up')

    await visitor.getByText(en.signUp.closedTitle).waitFor()
  })

  it('with two tabs in conflict, the later one says so, keeps what it changed, and can save again', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const first = await enterAs(browser, administrator, '/console/settings')
    await first.getByLabel(en.config.cooldown).waitFor()
    const second = await first.context().newPage()
    await second.goto('/console/settings')
    await second.getByLabel(en.config.cooldown).fill('90')

    await first.getByText(en.config.gate, { exact: true }).click()
    await save(first)
    await first.getByText(en.config.saved).waitFor()
    await save(second)
    await second.getByText(en.config.conflictTitle).waitFor()
    await second.getByRole('button', { name: en.config.conflictAction }).click()
    await second.getByText(en.config.conflictTitle).waitFor({ state: 'detached' })
    const kept = await second.getByLabel(en.config.cooldown).inputValue()
    await second.getByRole('switch', { name: en.config.gate, checked: true }).waitFor()
    await save(second)
    await second.getByText(en.config.saved).waitFor()

    const { body } = await administrator.post('/api/admin/get_authentication_config')
    assert.equal(kept, '90')
    assert.equal(body.email_user_action_cooldown_seconds, 90)
    assert.equal(body.beta_gate_enabled, true)
  })

  it('a field that was changed and changed back does not overwrite what another window saved', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    const { body: before } = await administrator.post('/api/admin/get_authentication_config')
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console/settings')
    const cooldown = page.getByLabel(en.config.cooldown)
    await cooldown.fill('90')
    await cooldown.fill(String(before.email_user_action_cooldown_seconds))
    await page.getByText(en.config.gate, { exact: true }).click()

    await administrator.saveSettings('authentication', { email_user_action_cooldown_seconds: 30 })
    await save(page)
    await page.getByText(en.config.conflictTitle).waitFor()
    await page.getByRole('button', { name: en.config.conflictAction }).click()
    await page.getByText(en.config.conflictTitle).waitFor({ state: 'detached' })
    await save(page)
    await page.getByText(en.config.saved).waitFor()

    const { body } = await administrator.post('/api/admin/get_authentication_config')
    assert.deepEqual([body.email_user_action_cooldown_seconds, body.beta_gate_enabled], [30, true])
  })

  it('a provider without its secret is refused with the reason; a secret is replaced, never shown', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console/settings/providers')
    const google = page.getByRole('group', { name: 'Google' })

    await google.getByText('Google', { exact: true }).last().click()
    await google.getByLabel(en.config.clientId).fill('id-1')
    await save(page)
    await google.getByText(en.config.problems.client_secret).waitFor()
    await google.getByLabel(en.config.clientSecret).fill('a secret of the provider')
    await save(page)
    await page.getByText(en.config.saved).waitFor()
    await google.getByText(en.config.secretConfigured).waitFor()
    const shown = await page.content()
    await google.getByText('/api/auth/callback/provider_a').waitFor()
    const visitor = await browser.openPage()
    await visitor.goto('/sign-in')
    await visitor.getByRole('button', { name: en.signIn.with('Google') }).waitFor()

    assert.ok(!shown.includes('a secret of the provider'))
  })

  it('a refusal is shown at its field, in the language of the page, until the field is changed', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ locale: 'zh-CN' })
    await page.goto('/console/settings')
    await fillSignIn(page, administrator.email, administrator.password, zh)
    const verification = page.getByRole('switch', { name: zh.config.verification })

    await page.getByText(zh.config.verification, { exact: true }).click()
    await page.getByLabel(zh.config.domains).fill('not_a_domain')
    await page.getByRole('button', { name: zh.common.save }).click()
    await page.getByText(zh.config.problems.email_signup_domain_allowlist).waitFor()
    await page.getByLabel(zh.config.domains).fill('example.com')
    await page.getByText(zh.config.problems.email_signup_domain_allowlist).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: zh.common.save }).click()
    await page.getByText(zh.config.problems.email_verification_required).waitFor()
    await page.getByRole('switch').and(page.locator(':focus')).waitFor()
    const description = zh.config.problems.email_verification_required

    await page.getByRole('switch', { description }).and(verification).waitFor()
    await assertAccessible(page)
    assert.deepEqual(browser.complaints, [])
  })

  it('a number that is not whole is not sent', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console/settings/credits')

    await page.getByLabel(en.config.rewardAmount).fill('1.5')
    await save(page)
    await page.getByText(en.config.problems.signup_reward_amount).waitFor()
    await page.getByLabel(en.config.rewardAmount).fill('15')
    await save(page)
    await page.getByText(en.config.saved).waitFor()

    const { body } = await administrator.post('/api/admin/get_credits_config')
    assert.deepEqual([body.signup_reward_amount, body.version], [15, 2])
  })

  it('a test mail says whether it was sent', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console/settings/email')

    await page.getByLabel(en.config.provider).selectOption({ label: en.config.mailProviders.outbox })
    await save(page)
    await page.getByLabel(en.common.email, { exact: true }).fill('carl@example.com')
    await page.getByRole('button', { name: en.config.testMailSend }).click()
    await page.getByText(en.config.testMailSent('carl@example.com')).waitFor()
    service.mail.refuse('mailbox of carl is full')
    await page.getByRole('button', { name: en.config.testMailSend }).click()

    await page.getByRole('alert').filter({ hasText: 'mailbox of carl is full' }).waitFor()
    assert.equal((await service.mail.sentTo('carl@example.com')).length, 1)
  })
})
