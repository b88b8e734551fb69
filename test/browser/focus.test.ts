import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { en } from '../../web/src/texts/en.ts'
import { changeSettings } from '../service/change-settings.ts'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { fillSignIn } from './support/acts.ts'
import { openBrowserSession } from './support/browser-session.ts'

/** What has the focus: its label, or its own words. */
/** Effects move the focus after the page is drawn, so it is waited for. */
const hasFocus = (page: Page, place: Locator) => place.and(page.locator(':focus')).waitFor()

describe('the focus', () => {
  it('begins each step before the sign-in at its first field, and after it at the heading', async () => {
    await using service = await startService()
    await changeSettings(service, 'email', { provider: 'outbox' })
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto('/sign-in')
    await hasFocus(page, page.getByLabel(en.common.email))
    await page.getByRole('link', { name: en.signIn.forgot }).click()
    await page.getByRole('heading', { name: en.forgot.title }).waitFor()
    await hasFocus(page, page.getByLabel(en.common.email))
    await page.getByLabel(en.common.email).fill(ann.email)
    await page.getByRole('button', { name: en.forgot.submit }).click()
    await page.getByRole('heading', { name: en.reset.title }).waitFor()
    await hasFocus(page, page.getByLabel(en.verify.digit(1)))
    await page.goto(`/sign-in?${new URLSearchParams({ email: ann.email })}`)
    await hasFocus(page, page.getByLabel(en.common.password, { exact: true }))
    await fillSignIn(page, ann.email, ann.password)
    await hasFocus(page, page.getByRole('heading', { name: en.home.title('ann') }))
    await page.getByRole('navigation').getByRole('link', { name: en.nav.feedback }).click()
    await hasFocus(page, page.getByRole('heading', { name: en.feedback.title }))

    assert.deepEqual(browser.complaints, [])
  })

  it('goes to the first wrong field after a form was refused, here or by the server', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    service.clock.advance({ minutes: 2 })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto('/sign-up')
    await page.getByLabel(en.common.email).fill('dora@example.com')
    await page.getByLabel(en.common.password, { exact: true }).fill('short')
    await page.getByRole('button', { name: en.signUp.submit }).click()
    await page.getByText(en.form.passwordShort).waitFor()
    await hasFocus(page, page.getByLabel(en.common.password, { exact: true }))
    await page.getByLabel(en.common.email).fill(ann.email)
    await page.getByLabel(en.common.password, { exact: true }).fill('a bench by the gate')
    await page.getByRole('button', { name: en.signUp.submit }).click()
    await page.getByText(en.failures.USER_ALREADY_EXISTS).waitFor()
    await hasFocus(page, page.getByLabel(en.common.email))

    assert.deepEqual(browser.complaints, [])
  })

  it('a wrong password in the settings is shown at its field, by a message that does not mention an address', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/settings/password')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByLabel(en.password.current).fill('not this one')
    await page.getByLabel(en.password.next).fill('nine bells at midnight')
    await page.getByRole('button', { name: en.password.submit }).click()
    await page.getByText(en.form.passwordWrong).waitFor()
    await hasFocus(page, page.getByLabel(en.password.current))
    await page.goto('/settings/data')
    await page.getByRole('button', { name: en.data.deleteAction }).click()
    await page.getByLabel(en.data.confirmPassword).fill('not this one')
    await page.getByRole('button', { name: en.data.confirmAction }).click()
    await page.getByRole('dialog').getByText(en.form.passwordWrong).waitFor()

    assert.deepEqual(browser.complaints, [])
  })
})
