import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { changeSettings } from '../service/change-settings.ts'
import { people, stranger } from '../service/people.ts'
import { type Service, startService } from '../service/service.ts'
import { fillSignIn, paste } from './acts.ts'
import { assertAccessible, openHouse } from './visit.ts'

const outbox = (service: Service) => changeSettings(service, 'email', { provider: 'outbox' })

async function signUp(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/sign-up')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
}

describe('accounts in the browser', () => {
  it('somebody creates an account, signs out and in again', async () => {
    await using service = await startService()
    await using house = await openHouse(service)
    const page = await house.enter()

    await signUp(page, 'dora@example.com', 'paper boats drift south')
    await page.getByRole('heading', { name: 'Hello, dora' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await fillSignIn(page, 'dora@example.com', 'paper boats drift south')
    await page.getByRole('heading', { name: 'Hello, dora' }).waitFor()

    assert.deepEqual(house.complaints, [])
  })

  it('a wrong password is told in words, and the address stays typed', async () => {
    await using service = await startService()
    await people(service)
    await using house = await openHouse(service)
    const page = await house.enter()

    await page.goto('/sign-in')
    await fillSignIn(page, 'ann@example.com', 'not the right one')
    const alert = page.getByRole('alert').filter({ hasText: 'Incorrect email address or password.' })
    await alert.waitFor()

    assert.equal(await page.getByLabel('Email').inputValue(), 'ann@example.com')
    await assertAccessible(page)
  })

  it('where verification is required, the code from the mail is pasted and nothing is typed twice', async () => {
    await using service = await startService()
    await outbox(service)
    await changeSettings(service, 'authentication', { email_verification_required: true })
    await using house = await openHouse(service)
    const page = await house.enter()

    await signUp(page, 'dora@example.com', 'paper boats drift south')
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor()
    const resend = page.getByRole('button', { name: /Send a new code in \d+ s/ })
    await resend.waitFor()
    await assertAccessible(page)
    await paste(page.getByLabel('Digit 1 of 6'), await service.mail.codeFor('dora@example.com'))
    await page.getByRole('heading', { name: 'Hello, dora' }).waitFor()

    assert.deepEqual(house.complaints, [])
  })

  it('who left before confirming the address is asked for it at sign-in, by a new code', async () => {
    await using service = await startService()
    await outbox(service)
    await stranger(service, 'dora@example.com').signUp()
    await changeSettings(service, 'authentication', { email_verification_required: true })
    await using house = await openHouse(service)
    const page = await house.enter()

    await page.goto('/sign-in?next=%2Fsettings%2Fsessions')
    await fillSignIn(page, 'dora@example.com', 'an owl under the roof')
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor()
    await page.getByRole('button', { name: /Send a new code in \d+ s/ }).waitFor()
    await paste(page.getByLabel('Digit 1 of 6'), await service.mail.codeFor('dora@example.com'))
    await page.waitForURL('**/sign-in?**')
    await page.getByLabel('Password', { exact: true }).fill('an owl under the roof')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('This device').waitFor()
  })

  it('after sign-in only a path of this house is followed', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using house = await openHouse(service)

    for (const elsewhere of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      'javascript:alert(1)',
    ]) {
      const page = await house.enter()
      await page.goto(`/sign-in?${new URLSearchParams({ next: elsewhere })}`)
      await fillSignIn(page, ann.email, ann.password)
      await page.getByRole('heading', { name: 'Hello, ann' }).waitFor()
      assert.equal(page.url(), `${house.origin}/`)
    }
  })

  it('a forgotten password is replaced with the code from the mail', async () => {
    await using service = await startService()
    await outbox(service)
    await people(service)
    await using house = await openHouse(service)
    const page = await house.enter()

    await page.goto('/sign-in')
    await page.getByLabel('Email').fill('ann@example.com')
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByRole('button', { name: 'Send code' }).click()
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    await assertAccessible(page)
    await paste(page.getByLabel('Digit 1 of 6'), await service.mail.codeFor('ann@example.com'))
    await page.getByLabel('New password').fill('nine bells at midnight')
    await page.getByRole('button', { name: 'Set new password' }).click()
    await page.waitForURL('**/sign-in?**')
    await fillSignIn(page, 'ann@example.com', 'nine bells at midnight')
    await page.getByRole('heading', { name: 'Hello, ann' }).waitFor()

    assert.deepEqual(house.complaints, [])
  })

  it('the forgotten-password link is hidden without an email provider', async () => {
    await using service = await startService()
    await using house = await openHouse(service)
    const page = await house.enter()

    await page.goto('/sign-in')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()

    assert.equal(await page.getByRole('link', { name: 'Forgot your password?' }).count(), 0)
  })

  it('a closed registration is said on its page and not offered', async () => {
    await using service = await startService()
    await changeSettings(service, 'authentication', { registration_enabled: false })
    await using house = await openHouse(service)
    const page = await house.enter()

    await page.goto('/sign-up')
    await page.getByRole('heading', { name: 'Registration is closed' }).waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor()

    assert.equal(await page.getByRole('link', { name: 'Create an account' }).count(), 0)
  })
})
