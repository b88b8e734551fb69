import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { en } from '../../web/src/texts/en.ts'
import { zh } from '../../web/src/texts/zh.ts'
import { changeSettings } from '../service/change-settings.ts'
import { startDevice } from '../service/grants.ts'
import { type Person, people, stranger } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { anyNumber, fillSignIn, paste } from './support/acts.ts'
import { openBrowserSession } from './support/browser-session.ts'

/** A message is removed after some seconds; here only something that is done can remove it. */
const MESSAGES_STAY = `
  const later = setTimeout
  window.setTimeout = (act, wait, ...more) => later(act, wait >= 2000 ? 2 ** 31 - 1 : wait, ...more)
`

async function enter(page: Page, { email, password }: Person, path: string): Promise<void> {
  await page.goto(path)
  await fillSignIn(page, email, password)
}

describe('what was once wrong with the pages', () => {
  it('a long dialog on a low phone keeps its close button in view, and it works', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const viewport = { width: 390, height: 500 }
    const page = await browser.openPage({ viewport })
    await enter(page, administrator, '/console/applications')
    await page.getByRole('button', { name: en.applications.register }).click()
    const dialog = page.getByRole('dialog')

    await dialog.getByRole('button', { name: en.applications.register }).scrollIntoViewIfNeeded()
    const close = dialog.getByRole('button', { name: en.common.close })
    const place = await close.boundingBox()
    await close.click()
    await dialog.waitFor({ state: 'detached' })

    assert.ok(place && place.y >= 0 && place.y + place.height <= viewport.height)
  })

  it('the focus follows from sign-up to the code, and from sign-in to consent', async () => {
    await using service = await startService()
    await changeSettings(service, 'email', { provider: 'outbox' })
    await changeSettings(service, 'authentication', { email_verification_required: true })
    const { body: device } = await startDevice(stranger(service), 'account:profile:read')
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto(
      `/sign-up?${new URLSearchParams({ next: `/oauth/authorize?user_code=${device.user_code}` })}`,
    )
    await fillSignUp(page, 'dora@example.com')
    await page.getByRole('heading', { name: en.verify.title }).waitFor()
    await page.getByRole('button', { name: anyNumber(en.verify.resendIn) }).waitFor()
    await page.getByLabel(en.verify.digit(1)).and(page.locator(':focus')).waitFor()
    await paste(page.getByLabel(en.verify.digit(1)), await service.mail.codeFor('dora@example.com'))
    const heading = page.getByRole('heading', { level: 1, name: en.consent.title('Command-line client') })
    await heading.and(page.locator(':focus')).waitFor()
  })

  it('a second code requested too soon: the page says that the first one was sent', async () => {
    await using service = await startService()
    await changeSettings(service, 'email', { provider: 'outbox' })
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const asked = `/verify?${new URLSearchParams({ email: ann.email, send: 'now' })}`

    for (const _ of ['once', 'again']) {
      await page.goto(asked)
      await page.getByText(en.verify.lead(ann.email)).waitFor()
      await page.getByRole('button', { name: anyNumber(en.verify.resendIn) }).waitFor()
    }

    assert.equal(await page.getByRole('alert').filter({ hasText: /\S/ }).count(), 0)
  })

  it('a person without a name is shown once, the audit log has no raw keys, and no page has backticks', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await administrator.saveSettings('credits', { signup_reward_amount: 5 })
    await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'Too many bells' })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await enter(page, administrator, '/console/users')
    const row = page.getByRole('row').filter({ hasText: ann.email })
    await row.waitFor()
    const shown = ((await row.textContent()) ?? '').split(ann.email).length - 1
    await page.goto('/console/audit')
    await page.getByText('Too many bells').waitFor()
    const details = await page.locator('dl').allTextContents()
    await page.goto('/console/shards')
    await page.getByText('gatehouse shards empty').waitFor()
    const onShards = (await page.getByRole('main').textContent()) ?? ''

    assert.equal(shown, 1)
    assert.deepEqual(
      details.filter((text) => /[a-z]_[a-z]|[{}]/.test(text)),
      [],
    )
    assert.ok(!onShards.includes('`'))
  })

  it('an address that was typed in capital letters does not count as a name either', async () => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto('/sign-up')
    await page.getByLabel(en.common.email).fill('Zoe@Example.com')
    await page.getByLabel(en.common.password, { exact: true }).fill('an owl under the roof')
    await page.getByRole('button', { name: en.signUp.submit, exact: true }).click()

    await page.getByRole('heading', { name: en.home.title('zoe'), exact: true }).waitFor()
    assert.deepEqual(browser.complaints, [])
  })

  it('devices are named in the language of the page', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36'
    const page = await browser.openPage({ locale: 'zh-CN', userAgent })
    await page.goto('/settings/sessions')
    await page.getByLabel(zh.common.email).fill(administrator.email)
    await page.getByLabel(zh.common.password, { exact: true }).fill(administrator.password)
    await page.getByRole('button', { name: zh.signIn.submit, exact: true }).click()

    await page.getByText(zh.sessions.device('Chrome', 'Linux')).first().waitFor()
    assert.deepEqual(browser.complaints, [])
  })

  it('a message disappears with its page, copying is announced, and a switch’s hint is not part of its name', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.addInitScript(MESSAGES_STAY)

    await enter(page, administrator, '/settings')
    await page.getByLabel(en.profile.name).fill('The keeper')
    await page.getByRole('button', { name: en.common.save }).click()
    await page.getByText(en.profile.saved).waitFor()
    await page.getByRole('link', { name: en.settings.password }).click()
    await page.getByLabel(en.password.current).waitFor()
    await page.getByText(en.profile.saved).waitFor({ state: 'detached' })
    await page.goto('/console/settings')
    const gate = page.getByRole('switch', { name: en.config.gate, exact: true })
    await gate.waitFor()
    const hint = await gate.evaluate((control) => {
      const described = control.getAttribute('aria-describedby') ?? ''
      return control.ownerDocument.getElementById(described)?.textContent
    })
    await page.goto('/console/connect')
    await page.getByRole('button', { name: en.common.copy }).first().click()
    await page.getByRole('status').filter({ hasText: en.common.copied }).first().waitFor()

    assert.equal(hint, en.config.gateHint)
  })
})

async function fillSignUp(page: Page, email: string): Promise<void> {
  await page.getByLabel(en.common.email).fill(email)
  await page.getByLabel(en.common.password, { exact: true }).fill('paper boats drift south')
  await page.getByRole('button', { name: en.signUp.submit }).click()
}
