import { expect } from '@playwright/test'
import { en } from '../../web/src/texts/en.ts'
import { changeSettings } from '../service/change-settings.ts'
import { fillSignIn } from './support/acts.ts'
import { test } from './support/test.ts'

test.describe('the focus', () => {
  test('begins at the first field before the sign-in, and at the heading after it', async ({ page, service, ann }) => {
    await changeSettings(service, 'email', { provider: 'outbox' })

    await page.goto('/sign-in')
    await expect(page.getByLabel(en.common.email)).toBeFocused()
    await page.getByRole('link', { name: en.signIn.forgot }).click()
    await expect(page.getByRole('heading', { name: en.forgot.title })).toBeVisible()
    await expect(page.getByLabel(en.common.email)).toBeFocused()
    await page.getByLabel(en.common.email).fill(ann.email)
    await page.getByRole('button', { name: en.forgot.submit }).click()
    await expect(page.getByRole('heading', { name: en.reset.title })).toBeVisible()
    await expect(page.getByLabel(en.verify.digit(1))).toBeFocused()
    await page.goto(`/sign-in?${new URLSearchParams({ email: ann.email })}`)
    await expect(page.getByLabel(en.common.password, { exact: true })).toBeFocused()
    await fillSignIn(page, ann.email, ann.password)
    await expect(page.getByRole('heading', { name: en.home.title('ann') })).toBeFocused()
    await page.getByRole('navigation').getByRole('link', { name: en.nav.feedback }).click()
    await expect(page.getByRole('heading', { name: en.nav.feedback, level: 1 })).toBeFocused()
  })

  test('goes from the address to the password to the button, past no link', async ({ page, service, ann }) => {
    await changeSettings(service, 'email', { provider: 'outbox' })
    await page.goto('/sign-in')

    await page.getByLabel(en.common.email).fill(ann.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(ann.password)
    await page.keyboard.press('Enter')

    await expect(page.getByRole('heading', { name: en.home.title('ann') })).toBeVisible()
  })

  test('goes to the first wrong field, refused here or by the server', async ({ page, service, ann }) => {
    service.clock.advance({ minutes: 2 })

    await page.goto('/sign-up')
    const password = page.getByLabel(en.common.password, { exact: true })
    await page.getByLabel(en.common.email).fill('dora@example.com')
    await password.fill('short')
    await page.getByRole('button', { name: en.signUp.submit }).click()
    await expect(page.getByText(en.form.passwordShort)).toBeVisible()
    await expect(password).toBeFocused()
    await page.getByLabel(en.common.email).fill(ann.email)
    await password.fill('a bench by the gate')
    await page.getByRole('button', { name: en.signUp.submit }).click()
    await expect(page.getByText(en.failures.USER_ALREADY_EXISTS)).toBeVisible()
    await expect(page.getByLabel(en.common.email)).toBeFocused()
  })

  test('stays at a wrong password, whose message does not mention an address', async ({ enterAs, ann }) => {
    const page = await enterAs(ann, '/settings/password')

    await page.getByLabel(en.password.current).fill('not this one')
    await page.getByLabel(en.reset.newPassword).fill('nine bells at midnight')
    await page.getByRole('button', { name: en.password.submit }).click()
    await expect(page.getByText(en.form.passwordWrong)).toBeVisible()
    await expect(page.getByLabel(en.password.current)).toBeFocused()
    await page.goto('/settings/data')
    await page.getByRole('button', { name: en.data.deleteAction }).click()
    await page.getByLabel(en.data.confirmPassword).fill('not this one')
    await page.getByRole('button', { name: en.data.confirmAction }).click()
    await expect(page.getByRole('dialog').getByText(en.form.passwordWrong)).toBeVisible()
  })
})
