import { expect } from '@playwright/test'
import { en } from '../../web/src/texts/en.ts'
import { zh } from '../../web/src/texts/zh.ts'
import { changeSettings } from '../service/change-settings.ts'
import { anyNumber } from './support/acts.ts'
import { test } from './support/test.ts'

test.describe('what was once wrong with the pages', () => {
  test('a second code too soon: the page says that the first was sent', async ({ page, service, ann }) => {
    await changeSettings(service, 'email', { provider: 'outbox' })

    for (const _ of ['once', 'again']) {
      await page.goto(`/verify?${new URLSearchParams({ email: ann.email, send: 'now' })}`)
      await expect(page.getByText(en.verify.lead(ann.email))).toBeVisible()
      await expect(page.getByRole('button', { name: anyNumber(en.verify.resendIn) })).toBeVisible()
    }
    await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toHaveCount(0)
  })

  test('a browser’s choice of light or dark is there from the first paint, on every page, until it is taken back', async ({
    openPage,
  }) => {
    const page = await openPage({ colorScheme: 'light' })
    const ground = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
    await page.goto('/sign-in')
    const light = await ground()
    await page.getByLabel(en.common.theme).selectOption('dark')
    const dark = await ground()

    const reloaded = await page.goto('/sign-up')
    expect(await reloaded?.text()).toContain('<html data-theme="dark"')
    expect([await ground(), dark === light]).toEqual([dark, false])
    await page.getByLabel(en.common.theme).selectOption('system')
    await page.goto('/sign-in')

    expect(await ground()).toBe(light)
  })

  test('while a long form has changes that are not saved, its button stays in sight', async ({ openConsole }) => {
    const page = await openConsole('/console/settings', { viewport: { width: 1280, height: 600 } })
    const save = page.getByRole('button', { name: en.common.save, exact: true }).first()
    const first = page.getByRole('main').getByRole('switch').first()
    await expect(first).toBeVisible()
    await expect(save).not.toBeInViewport()

    await first.click()

    await expect(save).toBeInViewport()
  })

  test('without scripts the words are on the first screen', async ({ openPage }) => {
    const page = await openPage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    await page.goto('/sign-in')

    const words = await page.locator('noscript p').first().boundingBox()

    expect(words?.y).toBeLessThan(700)
  })

  test('the palette finds a setting by the words that people have for it, and acts on nobody who is not named', async ({
    openConsole,
  }) => {
    const page = await openConsole('/console')
    await page.getByRole('button', { name: en.palette.open }).click()
    const search = page.getByRole('combobox', { name: en.shortcuts.palette })
    for (const [words, found] of [
      ['smtp', `${en.nav.console}: ${en.config.email}`],
      ['logo', `${en.nav.console}: ${en.config.brand}`],
      ['totp', `${en.nav.settings}: ${en.settings.security}`],
      ['dark', `${en.nav.settings}: ${en.settings.profile}`],
    ] as const) {
      await search.fill(words)
      await expect(page.getByRole('option', { name: found }).first(), words).toBeVisible()
    }
    await search.fill(en.people.suspend)

    await expect(page.getByText(en.palette.none)).toBeVisible()
  })

  test('a person without a name is shown once, the audit log has no raw keys, and no page has backticks', async ({
    openConsole,
    administrator,
    ann,
  }) => {
    await administrator.saveSettings('credits', { signup_reward_amount: 5 })
    await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'Too many bells' })
    await administrator.post('/api/admin/update_shard', { id: 'apac-1', state: 'draining' })
    const page = await openConsole('/console/users')

    await expect(page.getByRole('row').getByText(ann.email)).toHaveCount(1)
    const row = page.getByRole('row').filter({ hasText: ann.email })
    expect((await row.textContent())?.split(ann.email)).toHaveLength(2)
    await page.goto('/console/audit')
    await expect(page.getByText('Too many bells')).toBeVisible()
    await expect(page.locator('dl').filter({ hasText: /[a-z]_[a-z]|[{}]/ })).toHaveCount(0)
    await page.goto('/console/shards')
    await expect(page.getByText('gatehouse shards empty apac-1')).toBeVisible()
    await expect(page.getByRole('main')).not.toContainText('`')
  })

  test('an address that was typed in capital letters does not count as a name either', async ({ page }) => {
    await page.goto('/sign-up')
    await page.getByLabel(en.common.email).fill('Zoe@Example.com')
    await page.getByLabel(en.common.password, { exact: true }).fill('an owl under the roof')
    await page.getByRole('button', { name: en.signUp.submit, exact: true }).click()

    await expect(page.getByRole('heading', { name: en.home.title('zoe'), exact: true })).toBeVisible()
  })

  test('devices are named in the language of the page', async ({ enterAs, administrator }) => {
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36'
    const page = await enterAs(administrator, '/settings/sessions', { locale: 'zh-CN', userAgent })

    await expect(page.getByText(zh.sessions.device('Chrome', 'Linux')).first()).toBeVisible()
  })

  test('a message disappears with its page, copying is announced, and a switch’s hint is not part of its name', async ({
    enterAs,
    administrator,
  }) => {
    const page = await enterAs(administrator, '/settings')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])

    await page.getByLabel(en.profile.name).fill('The keeper')
    await page.getByRole('button', { name: en.common.save }).click()
    await expect(page.getByText(en.profile.saved)).toBeVisible()
    await page.getByRole('link', { name: en.settings.security }).click()
    await expect(page.getByLabel(en.password.current)).toBeVisible()
    await expect(page.getByText(en.profile.saved)).toHaveCount(0)
    await page.goto('/console/settings')
    const gate = page.getByRole('switch', { name: en.config.fields.beta_gate_enabled, exact: true })
    await expect(gate).toHaveAccessibleDescription(en.config.hints.beta_gate_enabled)
    await page.goto('/console/connect')
    await page.getByRole('button', { name: en.common.copy }).first().click()
    await expect(page.getByRole('status').filter({ hasText: en.common.copied }).first()).toBeVisible()
  })
})
