import assert from 'node:assert/strict'
import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { Person } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { anyNumber, failing, fillSignIn, firstRequest, paste } from '../support/acts.ts'
import { test } from '../support/test.ts'

const dora = { email: 'dora@example.com', password: 'paper boats drift south' }
const newPassword = 'nine bells at midnight'

async function signUp(page: Page): Promise<void> {
  await page.goto('/sign-up')
  await page.getByLabel(en.common.email).fill(dora.email)
  await page.getByLabel(en.common.password, { exact: true }).fill(dora.password)
  await page.getByRole('button', { name: en.signUp.submit }).click()
}

async function pasteCode(page: Page, service: Service, email: string): Promise<void> {
  await paste(page.getByLabel(en.verify.digit(1)), await service.mail.codeFor(email))
}

const expectHome = (page: Page, name: string) =>
  expect(page.getByRole('heading', { name: en.home.title(name) })).toBeVisible()

test.describe('accounts in the browser', () => {
  test('a user who cannot be signed out is told so', async ({ enterAs, ann }) => {
    const page = await enterAs(ann, '/')
    await failing(page, '/api/auth/sign-out')

    await page.getByRole('button', { name: en.nav.signOut }).click()

    await expect(page.getByText(en.failures.INTERNAL_ERROR)).toBeVisible()
  })

  test('a wrong password is explained, and the address stays in its field', async ({ page, ann }) => {
    await page.goto('/sign-in')
    await fillSignIn(page, ann.email, 'not the right one')

    await expect(page.getByRole('alert').getByText(en.failures.INVALID_EMAIL_OR_PASSWORD)).toBeVisible()
    await expect(page.getByLabel(en.common.email)).toHaveValue(ann.email)
    await assertAccessible(page)
  })

  test('a user can sign in before the page has learned that nobody is signed in', async ({ page, ann }) => {
    const signedIn = page.waitForResponse('**/api/auth/sign-in/email')
    await firstRequest(page, '/api/auth/get-session', async (route) => {
      await signedIn
      await route.fulfill({ json: null })
    })

    await page.goto('/sign-in')
    await fillSignIn(page, ann.email, ann.password)

    await expectHome(page, 'ann')
  })

  const ELSEWHERE = [
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/x/..//evil.example',
    'https://evil.example',
    'javascript:alert(1)',
  ]
  test('checklist 92: after sign-in only a path of this service is followed', async ({ enterAs, ann }) => {
    for (const elsewhere of ELSEWHERE) {
      const page = await enterAs(ann, `/sign-in?${new URLSearchParams({ next: elsewhere })}`)
      await expectHome(page, 'ann')
      await expect(page).toHaveURL('/')
    }
  })

  test('the forgotten-password link is hidden without an email provider', async ({ page }) => {
    await page.goto('/sign-in')

    await expect(page.getByRole('button', { name: en.signIn.submit })).toBeVisible()
    await expect(page.getByRole('link', { name: en.signIn.forgot })).toHaveCount(0)
  })
})

test.describe('accounts in the browser, confirmed by mail', () => {
  test.beforeEach(({ service }) => changeSettings(service, 'email', { provider: 'outbox' }))

  const requireVerification = (service: Service) =>
    changeSettings(service, 'authentication', { email_verification_required: true })

  test('the password is saved at sign-up, and signs in after the mailed code', async ({ page, service }) => {
    await requireVerification(service)
    const sentTo: string[] = []
    page.on('request', (request) => {
      if (request.postData()?.includes(dora.password)) sentTo.push(new URL(request.url()).pathname)
    })
    const passwordFields = page.locator('input[type=password], [autocomplete$=password]')

    await page.goto('/sign-up')
    await expect(page.getByRole('button', { name: en.signUp.submit })).toBeVisible()
    const saved = await page
      .locator('form [autocomplete]')
      .evaluateAll((fields) => fields.map((field) => field.getAttribute('autocomplete')))
    await signUp(page)
    await expect(page.getByRole('heading', { name: en.verify.title })).toBeVisible()
    await expect(page.getByRole('button', { name: anyNumber(en.verify.resendIn) })).toBeVisible()
    await expect(passwordFields).toHaveCount(0)
    await assertAccessible(page)
    await pasteCode(page, service, dora.email)
    await expectHome(page, 'dora')

    await expect(passwordFields).toHaveCount(0)
    assert.deepEqual(saved, ['username', 'new-password', 'name'])
    assert.deepEqual(sentTo, ['/api/auth/sign-up/email', '/api/auth/sign-in/email'])
  })

  test('a user who left before confirming is sent a new code at sign-in', async ({ page, service }) => {
    await signUp(page)
    await expectHome(page, 'dora')
    await page.getByRole('button', { name: en.nav.signOut }).click()
    await page.waitForURL('**/sign-in')
    await requireVerification(service)

    await page.goto('/sign-in?next=%2Fsettings%2Fsessions')
    await fillSignIn(page, dora.email, dora.password)
    await expect(page.getByRole('heading', { name: en.verify.title })).toBeVisible()
    await expect(page.getByRole('button', { name: anyNumber(en.verify.resendIn) })).toBeVisible()
    await pasteCode(page, service, dora.email)
    await page.waitForURL('**/sign-in?**')
    await page.getByLabel(en.common.password, { exact: true }).fill(dora.password)
    await page.getByRole('button', { name: en.signIn.submit, exact: true }).click()

    await expect(page.getByText(en.sessions.current)).toBeVisible()
  })

  test('a forgotten password is replaced with the code from the mail', async ({ page, service, ann }) => {
    await page.goto('/sign-in')
    await page.getByLabel(en.common.email).fill(ann.email)
    await page.getByRole('link', { name: en.signIn.forgot }).click()
    await page.getByRole('button', { name: en.forgot.submit }).click()
    await expect(page.getByRole('heading', { name: en.reset.title })).toBeVisible()
    await assertAccessible(page)
    await pasteCode(page, service, ann.email)
    await page.getByLabel(en.reset.newPassword).fill(newPassword)
    await page.getByRole('button', { name: en.reset.submit }).click()
    await page.waitForURL('**/sign-in?**')
    await fillSignIn(page, ann.email, newPassword)
    await expectHome(page, 'ann')
  })

  test('mailed links confirm and choose a new password, in a click each', async ({ page, service, ann }) => {
    await changeSettings(service, 'email', { provider: 'smtp' })
    const { email } = ann
    await ann.post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })
    const verifying = await service.mail.linkFor(email)

    await page.goto(`/verify#${new URLSearchParams({ email, link: verifying })}`)
    await page.getByRole('button', { name: en.verify.submit }).click()
    await expect(page.getByText(en.verify.choosePassword)).toBeVisible()
    await page.getByRole('button', { name: en.forgot.submit }).click()
    await expect(page.getByText(en.reset.lead(email))).toBeVisible()
    const choosing = await service.mail.linkFor(email)
    await page.goto('/')
    await page.goto(`/reset#${new URLSearchParams({ email, link: choosing })}`)
    await page.getByLabel(en.reset.newPassword).fill(newPassword)
    await page.getByRole('button', { name: en.reset.submit }).click()
    await expect(page.getByText(en.reset.done)).toBeVisible()

    const signedIn = await new Person(service, email, newPassword).signIn()
    assert.equal(signedIn.body.user?.id, ann.id)
  })
})
