import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { pagesFolder } from '../../../src/app.ts'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { drawn, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'

const wish = 'A wish that took an hour to write'

/** What reads one of these parts of the texts throws an error. */
async function withoutTexts(page: Page, parts: readonly string[]): Promise<void> {
  await page.route(`**/assets/en-front-*.js`, (route) => {
    const built = readFileSync(join(pagesFolder, new URL(route.request().url()).pathname), 'utf8')
    const body = parts.reduce((text, part) => text.replace(`${part}:{`, `no_${part}:{`), built)
    return route.fulfill({ contentType: 'text/javascript', body })
  })
}

/** The banner of the connection is around every page. */
const breakBanner = (page: Page) => page.context().setOffline(true)

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

/** The message has the title of the tab and the focus, as a page has. */
async function assertStandsForPage(page: Page, title: string): Promise<void> {
  await heading(page, title).waitFor()
  await drawn(page)
  const focused = await page.evaluate<string | null>('document.activeElement.textContent')
  assert.deepEqual([await page.title(), focused], [`${title} · Gatehouse`, title])
}

describe('an error outside of every page', () => {
  it('is said in place of the page, and a reload brings back what was typed', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await withoutTexts(page, ['connection'])
    await page.goto('/feedback')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByLabel(en.feedback.content).fill(wish)

    await breakBanner(page)
    await assertStandsForPage(page, en.broken.title)
    await page.context().setOffline(false)
    await page.getByRole('button', { name: en.broken.action }).click()

    await page.getByLabel(en.feedback.content).waitFor()
    assert.equal(await page.getByLabel(en.feedback.content).inputValue(), wish)
  })

  it('that not even its message survives leaves a button that reloads', async () => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await withoutTexts(page, ['connection', 'broken'])
    await page.goto('/sign-in')
    await heading(page, en.signIn.title).waitFor()

    await breakBanner(page)
    await page.getByRole('button', { name: en.broken.action }).waitFor()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: en.broken.action }).click()

    await heading(page, en.signIn.title).waitFor()
  })
})

describe('a page that throws an error', () => {
  it('is left by a step back, and thrown again by a step forward', async () => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await withoutTexts(page, ['signUp'])
    await page.goto('/sign-in')

    await page.getByRole('link', { name: en.signIn.signUp }).click()
    await assertStandsForPage(page, en.broken.title)
    await page.goBack()
    await heading(page, en.signIn.title).waitFor()
    await page.goForward()
    await assertStandsForPage(page, en.broken.title)
    await page.goBack()

    await heading(page, en.signIn.title).waitFor()
    assert.equal(await page.title(), `${en.signIn.title} · Gatehouse`)
  })
})

describe('a language whose texts cannot be fetched', () => {
  it('changes nothing, and says why', async () => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const texts = '**/assets/zh-front-*.js'
    await page.goto('/sign-in')

    for (const [status, words] of [
      [503, en.failures.STORE_UNAVAILABLE],
      [404, en.broken.outdated],
    ] as const) {
      await page.route(texts, (route) => route.fulfill({ status }))
      await page.getByLabel(en.common.language).selectOption('zh')
      await page.getByText(words).waitFor()
      assert.equal(await page.evaluate('document.documentElement.lang'), 'en')
      await page.unroute(texts)
      await page.reload()
      await heading(page, en.signIn.title).waitFor()
    }
  })
})
