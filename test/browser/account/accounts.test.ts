import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { Person, people } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { anyNumber, failing, fillSignIn, firstRequest, paste } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { enterAs } from '../support/enter-as.ts'

const outbox = (service: Service) => changeSettings(service, 'email', { provider: 'outbox' })

async function signUp(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/sign-up')
  await page.getByLabel(en.common.email).fill(email)
  await page.getByLabel(en.common.password, { exact: true }).fill(password)
  await page.getByRole('button', { name: en.signUp.submit }).click()
}

describe('accounts in the browser', () => {
  it('a user creates an account, signs out and in again', async () => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await signUp(page, 'dora@example.com', 'paper boats drift south')
    await page.getByRole('heading', { name: en.home.title('dora') }).waitFor()
    await page.getByRole('button', { name: en.nav.signOut }).click()
    await page.waitForURL('**/sign-in')
    await fillSignIn(page, 'dora@example.com', 'paper boats drift south')
    await page.getByRole('heading', { name: en.home.title('dora') }).waitFor()

    assert.deepEqual(browser.complaints, [])
  })

  it('a user who cannot be signed out is told so', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, ann, '/')
    await failing(page, '/api/auth/sign-out')

    await page.getByRole('button', { name: en.nav.signOut }).click()

    await page.getByText(en.failures.INTERNAL_ERROR).waitFor()
  })

  it('a wrong password is explained, and the address stays in its field', async () => {
    await using service = await startService()
    await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto('/sign-in')
    await fillSignIn(page, 'ann@example.com', 'not the right one')
    const alert = page.getByRole('alert').filter({ hasText: en.failures.INVALID_EMAIL_OR_PASSWORD })
    await alert.waitFor()

    assert.equal(await page.getByLabel(en.common.email).inputValue(), 'ann@example.com')
    await assertAccessible(page)
  })

  it('a user can sign in before the page has learned that nobody is signed in', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const signedIn = page.waitForResponse('**/api/auth/sign-in/email')
    await firstRequest(page, '/api/auth/get-session', async (route) => {
      await signedIn
      await route.fulfill({ json: null })
    })

    await page.goto('/sign-in')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByRole('heading', { name: en.home.title('ann') }).waitFor()
  })

  it('if verification is required, the code from the mail is pasted and nothing is typed twice', async () => {
    await using service = await startService()
    await outbox(service)
    await changeSettings(service, 'authentication', { email_verification_required: true })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await signUp(page, 'dora@example.com', 'paper boats drift south')
    await page.getByRole('heading', { name: en.verify.title }).waitFor()
    const resend = page.getByRole('button', { name: anyNumber(en.verify.resendIn) })
    await resend.waitFor()
    await assertAccessible(page)
    await paste(page.getByLabel(en.verify.digit(1)), await service.mail.codeFor('dora@example.com'))
    await page.getByRole('heading', { name: en.home.title('dora') }).waitFor()

    assert.deepEqual(browser.complaints, [])
  })

  it('the browser can save the password at sign-up; after the code that password signs in, and is not asked for again', async () => {
    await using service = await startService()
    await outbox(service)
    await changeSettings(service, 'authentication', { email_verification_required: true })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const password = 'paper boats drift south'
    const sentTo: string[] = []
    page.on('request', (request) => {
      if (request.postData()?.includes(password)) sentTo.push(new URL(request.url()).pathname)
    })
    const passwordFields = page.locator('input[type=password], [autocomplete$=password]')

    await page.goto('/sign-up')
    await page.getByRole('button', { name: en.signUp.submit }).waitFor()
    const saved = await page
      .locator('form [autocomplete]')
      .evaluateAll((fields) => fields.map((field) => field.getAttribute('autocomplete')))
    await signUp(page, 'dora@example.com', password)
    await page.getByRole('heading', { name: en.verify.title }).waitFor()
    await page.getByRole('button', { name: anyNumber(en.verify.resendIn) }).waitFor()
    const atCode = await passwordFields.count()
    await paste(page.getByLabel(en.verify.digit(1)), await service.mail.codeFor('dora@example.com'))
    await page.getByRole('heading', { name: en.home.title('dora') }).waitFor()

    assert.deepEqual(saved, ['username', 'new-password'])
    assert.deepEqual([atCode, await passwordFields.count()], [0, 0])
    assert.deepEqual(sentTo, ['/api/auth/sign-up/email', '/api/auth/sign-in/email'])
  })

  it('a user who left before confirming the address is sent a new code at sign-in', async () => {
    await using service = await startService()
    await outbox(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await signUp(page, 'dora@example.com', 'paper boats drift south')
    await page.getByRole('button', { name: en.nav.signOut }).click()
    await page.waitForURL('**/sign-in')
    await changeSettings(service, 'authentication', { email_verification_required: true })

    await page.goto('/sign-in?next=%2Fsettings%2Fsessions')
    await fillSignIn(page, 'dora@example.com', 'paper boats drift south')
    await page.getByRole('heading', { name: en.verify.title }).waitFor()
    await page.getByRole('button', { name: anyNumber(en.verify.resendIn) }).waitFor()
    await paste(page.getByLabel(en.verify.digit(1)), await service.mail.codeFor('dora@example.com'))
    await page.waitForURL('**/sign-in?**')
    await page.getByLabel(en.common.password, { exact: true }).fill('paper boats drift south')
    await page.getByRole('button', { name: en.signIn.submit, exact: true }).click()
    await page.getByText(en.sessions.current).waitFor()
  })

  it('checklist 92: after sign-in only a path of this service is followed', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)

    for (const elsewhere of [
      '//evil.example',
      '/\\evil.example',
      '/.//evil.example',
      '/x/..//evil.example',
      'https://evil.example',
      'javascript:alert(1)',
    ]) {
      const page = await browser.openPage()
      await page.goto(`/sign-in?${new URLSearchParams({ next: elsewhere })}`)
      await fillSignIn(page, ann.email, ann.password)
      await page.getByRole('heading', { name: en.home.title('ann') }).waitFor()
      assert.equal(page.url(), `${browser.origin}/`)
    }
  })

  it('a forgotten password is replaced with the code from the mail', async () => {
    await using service = await startService()
    await outbox(service)
    await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto('/sign-in')
    await page.getByLabel(en.common.email).fill('ann@example.com')
    await page.getByRole('link', { name: en.signIn.forgot }).click()
    await page.getByRole('button', { name: en.forgot.submit }).click()
    await page.getByRole('heading', { name: en.reset.title }).waitFor()
    await assertAccessible(page)
    await paste(page.getByLabel(en.verify.digit(1)), await service.mail.codeFor('ann@example.com'))
    await page.getByLabel(en.reset.newPassword).fill('nine bells at midnight')
    await page.getByRole('button', { name: en.reset.submit }).click()
    await page.waitForURL('**/sign-in?**')
    await fillSignIn(page, 'ann@example.com', 'nine bells at midnight')
    await page.getByRole('heading', { name: en.home.title('ann') }).waitFor()

    assert.deepEqual(browser.complaints, [])
  })

  it('the forgotten-password link is hidden without an email provider', async () => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto('/sign-in')
    await page.getByRole('button', { name: en.signIn.submit }).waitFor()

    assert.equal(await page.getByRole('link', { name: en.signIn.forgot }).count(), 0)
  })

  it('mailed links confirm the address and choose a new password, each with one click', async () => {
    await using service = await startService()
    await changeSettings(service, 'email', { provider: 'smtp' })
    const { ann } = await people(service)
    await ann.post('/api/auth/email-otp/send-verification-otp', {
      email: ann.email,
      type: 'email-verification',
    })
    const verifying = await service.mail.linkFor(ann.email)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto(`/verify#${new URLSearchParams({ email: ann.email, link: verifying })}`)
    await page.getByRole('button', { name: en.verify.submit }).click()
    await page.getByText(en.verify.choosePassword).waitFor()
    await page.getByRole('button', { name: en.forgot.submit }).click()
    await page.getByText(en.reset.lead(ann.email)).waitFor()
    const choosing = await service.mail.linkFor(ann.email)
    await page.goto('/')
    await page.goto(`/reset#${new URLSearchParams({ email: ann.email, link: choosing })}`)
    await page.getByLabel(en.reset.newPassword).fill('nine bells at midnight')
    await page.getByRole('button', { name: en.reset.submit }).click()
    await page.getByText(en.reset.done).waitFor()

    const signedIn = await new Person(service, ann.email, 'nine bells at midnight').signIn()
    assert.equal(signedIn.body.user?.id, ann.id)
    assert.deepEqual(browser.complaints, [])
  })

  it('a closed registration is explained on its page and not offered', async () => {
    await using service = await startService()
    await changeSettings(service, 'authentication', { registration_enabled: false })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto('/sign-up')
    await page.getByRole('heading', { name: en.signUp.closedTitle }).waitFor()
    await page.getByRole('link', { name: en.signUp.signIn }).click()
    await page.getByRole('heading', { name: en.signIn.title }).waitFor()

    assert.equal(await page.getByRole('link', { name: en.signIn.signUp }).count(), 0)
  })
})
