import { readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import { pagesFolder } from '../../../src/app.ts'
import { en } from '../../../web/src/texts/en.ts'
import { fillSignIn } from '../support/acts.ts'
import { test } from '../support/test.ts'

const wish = 'A wish that took an hour to write'

/** Reading one of these parts of the texts throws an error. */
async function withoutTexts(page: Page, parts: readonly string[]): Promise<void> {
  await page.route(`**/assets/en-front-*.js`, (route) => {
    const built = readFileSync(new URL(pagesFolder + new URL(route.request().url()).pathname), 'utf8')
    const body = parts.reduce((text, part) => text.replace(`${part}:{`, `no_${part}:{`), built)
    return route.fulfill({ contentType: 'text/javascript', body })
  })
}

/** The banner of the connection is around every page. */
const breakBanner = (page: Page) => page.context().setOffline(true)
const reload = (page: Page) => page.getByRole('button', { name: en.broken.action })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

/** The message has the title of the tab and the focus, as a page has. */
async function expectInPlaceOfPage(page: Page, title: string): Promise<void> {
  await expect(heading(page, title)).toBeFocused()
  await expect(page).toHaveTitle(`${title} · Gatehouse`)
}

test.describe('an error that a page throws, or what is around it', () => {
  test.afterEach(({ complaints }) => {
    complaints.length = 0
  })

  test('outside of every page is shown in its place; a reload brings the text back', async ({ page, ann }) => {
    await withoutTexts(page, ['connection'])
    await page.goto('/feedback')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByLabel(en.feedback.content).fill(wish)

    await breakBanner(page)
    await expectInPlaceOfPage(page, en.broken.title)
    await page.context().setOffline(false)
    await reload(page).click()

    await expect(page.getByLabel(en.feedback.content)).toHaveValue(wish)
  })

  test('that not even its message survives leaves a button that reloads', async ({ page }) => {
    await withoutTexts(page, ['connection', 'broken'])
    await page.goto('/sign-in')
    await expect(heading(page, en.signIn.title)).toBeVisible()

    await breakBanner(page)
    await expect(reload(page)).toBeVisible()
    await page.context().setOffline(false)
    await reload(page).click()

    await expect(heading(page, en.signIn.title)).toBeVisible()
  })

  test('is left by a step back, and thrown again by a step forward', async ({ page }) => {
    await withoutTexts(page, ['signUp'])
    await page.goto('/sign-in')

    await page.getByRole('link', { name: en.signIn.signUp }).click()
    await expectInPlaceOfPage(page, en.broken.title)
    await page.goBack()
    await expect(heading(page, en.signIn.title)).toBeVisible()
    await page.goForward()
    await expectInPlaceOfPage(page, en.broken.title)
    await page.goBack()

    await expect(heading(page, en.signIn.title)).toBeVisible()
    await expect(page).toHaveTitle(`${en.signIn.title} · Gatehouse`)
  })
})

test.describe('a language whose texts cannot be fetched', () => {
  for (const [status, words] of [
    [503, en.failures.STORE_UNAVAILABLE],
    [404, en.broken.outdated],
  ] as const)
    test(`changes nothing, and says why: ${status}`, async ({ page }) => {
      await page.route('**/assets/zh-front-*.js', (route) => route.fulfill({ status }))
      await page.goto('/sign-in')

      await page.getByLabel(en.common.language).selectOption('zh')

      await expect(page.getByText(words)).toBeVisible()
      await expect(page.locator('html')).toHaveAttribute('lang', 'en')
    })
})
