import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { anyWords, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { enterAs } from '../support/enter-as.ts'

const title = (page: Page) => page.getByRole('heading', { level: 1, name: en.missing.title })
const tabTitle = (page: Page) => page.locator(`xpath=//title[starts-with(., '${en.missing.title}')]`)
const CALL = "fetch('/nowhere').then(async (answer) => [answer.status, (await answer.json()).code])"

describe('an address without a page', () => {
  it('shows a browser that page with 404, signed in or out, and stays JSON for programs', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    const out = await page.goto('/nowhere')
    await title(page).waitFor()
    await assertAccessible(page)
    const called = await page.evaluate<unknown>(CALL)
    await page.getByRole('link', { name: en.missing.action }).click()
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('heading', { name: anyWords(en.home.title) }).waitFor()
    const inside = await page.goto('/nowhere/at/all')
    await title(page).waitFor()
    await page.getByRole('navigation').first().waitFor()

    assert.deepEqual([out?.status(), inside?.status()], [404, 404])
    assert.deepEqual(called, [404, 'NOT_FOUND'])
    assert.deepEqual(browser.complaints, [])
  })

  it('says so once, in the tab too, and below the settings and the console only after a sign-in', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const signedOut = await browser.openPage()
    await signedOut.goto('/console/nowhere')
    await signedOut.getByRole('heading', { name: en.signIn.title }).waitFor()
    const page = await enterAs(browser, administrator, '/settings/nowhere')
    await title(page).waitFor()

    for (const path of ['/settings/nowhere', '/console/settings/nowhere', '/console/nowhere']) {
      await page.goto(path)
      await title(page).waitFor()
      await tabTitle(page).waitFor({ state: 'attached' })
      assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, path)
    }
    await page.goto('/console/settings/email/')
    await page.getByRole('heading', { name: en.config.email }).waitFor()

    assert.deepEqual(browser.complaints, [])
  })

  it('is the same page in another spelling, and an id that cannot be decoded is taken as it is', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const signedOut = await browser.openPage()
    const page = await enterAs(browser, administrator, '/')
    await page.getByRole('heading', { name: anyWords(en.home.title) }).waitFor()

    for (const path of ['/nowhere%20x', '//evil', '//', '/%']) {
      await signedOut.goto(browser.origin + path)
      await title(signedOut).waitFor()
      await page.goto(browser.origin + path)
      await title(page).waitFor()
      await page.getByRole('navigation').first().waitFor()
    }
    await page.goto('/console/users/%')
    await page.getByRole('link', { name: en.person.back }).waitFor()

    assert.deepEqual(browser.complaints, [])
  })
})
