import assert from 'node:assert/strict'
import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn } from '../support/acts.ts'
import { test } from '../support/test.ts'

const CALL = "fetch('/nowhere').then(async (answer) => [answer.status, (await answer.json()).code])"

const expectOverview = (page: Page) =>
  expect(page.getByRole('heading', { level: 1, name: en.console.overview })).toBeVisible()

/** Expects the message once on the page, and in the title of the tab. */
async function expectMissing(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: en.missing.title })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
  await expect(page).toHaveTitle(new RegExp(`^${en.missing.title}`))
}

test.describe('an address without a page', () => {
  test('is a page with 404 to a browser, and stays JSON for programs', async ({ page, administrator }) => {
    const out = await page.goto('/nowhere')
    await expectMissing(page)
    await assertAccessible(page)
    const called = await page.evaluate<unknown>(CALL)
    await page.getByRole('link', { name: en.missing.action }).click()
    await fillSignIn(page, administrator.email, administrator.password)
    await expectOverview(page)
    const inside = await page.goto('/nowhere/at/all')
    await expectMissing(page)
    await expect(page.getByRole('navigation').first()).toBeVisible()

    assert.deepEqual([out?.status(), inside?.status(), called], [404, 404, [404, 'NOT_FOUND']])
  })

  test('is reported below the console only after a sign-in', async ({ page, openConsole }) => {
    await page.goto('/console/nowhere')
    await expect(page.getByRole('heading', { name: en.signIn.title })).toBeVisible()
    const inside = await openConsole('/settings/nowhere')
    await expectMissing(inside)

    for (const path of ['/settings/nowhere', '/console/settings/nowhere', '/console/nowhere']) {
      await inside.goto(path)
      await expectMissing(inside)
    }
    await inside.goto('/console/settings/email/')
    await expect(inside.getByRole('heading', { name: en.config.email })).toBeVisible()
    await inside.goto('/console/users/%')
    await expect(inside.getByRole('link', { name: en.person.back })).toBeVisible()
  })

  test('is the same page in another spelling', async ({ page, openConsole, service }) => {
    const inside = await openConsole('/')
    await expectOverview(inside)

    for (const path of ['/nowhere%20x', '//evil', '//', '/%'])
      for (const one of [page, inside]) {
        await one.goto(service.config.baseUrl + path)
        await expectMissing(one)
      }
    await expect(inside.getByRole('navigation').first()).toBeVisible()
  })
})

test('a filter that does not exist is ignored, and a page far past the end leads back', async ({ openConsole }) => {
  const page = await openConsole('/console')
  await expectOverview(page)
  await page.goto('/notifications?show=constructor')
  await expect(page.getByRole('heading', { level: 1, name: en.nav.notifications })).toBeVisible()

  for (const number of ['1e308', 'Infinity']) {
    await page.goto(`/console/users?page=${number}`)
    await expect(page.getByText(en.lists.pageEmpty)).toBeVisible()
    await page.getByRole('button', { name: en.lists.lastPage }).click()
    await expect(page.getByRole('row').first()).toBeVisible()
  }
})
