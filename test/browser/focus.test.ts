import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { en } from '../../web/src/texts/en.ts'
import { changeSettings } from '../service/change-settings.ts'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { fillSignIn } from './support/acts.ts'
import { openBrowserSession } from './support/browser-session.ts'

/** What has the focus: its label, or its own words. */
const focused = (page: Page) =>
  page.evaluate<string>(
    `(({ labels, ariaLabel, textContent }) => labels?.[0]?.textContent || ariaLabel || textContent || '')(document.activeElement)`,
  )

describe('the focus', () => {
  it('begins each step before the sign-in at its first field, and after it at the heading', async () => {
    await using service = await startService()
    await changeSettings(service, 'email', { provider: 'outbox' })
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto('/sign-in')
    await page.getByRole('link', { name: en.signIn.forgot }).waitFor()
    const onSignIn = await focused(page)
    await page.getByRole('link', { name: en.signIn.forgot }).click()
    await page.getByRole('heading', { name: en.forgot.title }).waitFor()
    const onForgot = await focused(page)
    await page.getByLabel(en.common.email).fill(ann.email)
    await page.getByRole('button', { name: en.forgot.submit }).click()
    await page.getByRole('heading', { name: en.reset.title }).waitFor()
    const onReset = await focused(page)
    await page.goto(`/sign-in?${new URLSearchParams({ email: ann.email })}`)
    await page.getByLabel(en.common.email).waitFor()
    const withAddress = await focused(page)
    await fillSignIn(page, ann.email, ann.password)
    await page.getByRole('heading', { name: en.home.title('ann') }).waitFor()
    const onHome = await focused(page)
    await page.getByRole('navigation').getByRole('link', { name: en.nav.feedback }).click()
    await page.getByRole('heading', { name: en.feedback.title }).waitFor()
    const onFeedback = await focused(page)

    assert.deepEqual(
      { onSignIn, onForgot, onReset, withAddress, onHome, onFeedback },
      {
        onSignIn: en.common.email,
        onForgot: en.common.email,
        onReset: en.verify.digit(1),
        withAddress: en.common.password,
        onHome: en.home.title('ann'),
        onFeedback: en.feedback.title,
      },
    )
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
    const shortPassword = await focused(page)
    await page.getByLabel(en.common.email).fill(ann.email)
    await page.getByLabel(en.common.password, { exact: true }).fill('a bench by the gate')
    await page.getByRole('button', { name: en.signUp.submit }).click()
    await page.getByText(en.failures.USER_ALREADY_EXISTS).waitFor()
    const takenAddress = await focused(page)

    assert.deepEqual([shortPassword, takenAddress], [en.common.password, en.common.email])
  })

  it('a wrong password in the settings is said at its field, in words without an address', async () => {
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
    const atField = await focused(page)
    await page.goto('/settings/data')
    await page.getByRole('button', { name: en.data.deleteAction }).click()
    await page.getByLabel(en.data.confirmPassword).fill('not this one')
    await page.getByRole('button', { name: en.data.confirmAction }).click()
    await page.getByRole('dialog').getByText(en.form.passwordWrong).waitFor()

    assert.equal(atField, en.password.current)
  })
})
