import type { Locator, Page, Route } from '@playwright/test'
import { en, type Texts } from '../../../web/src/texts/en.ts'

/** Signs in on the sign-in page, wherever it leads afterwards. */
export async function fillSignIn(page: Page, email: string, password: string, texts: Texts = en): Promise<void> {
  await page.getByLabel(texts.common.email).fill(email)
  await page.getByLabel(texts.common.password, { exact: true }).fill(password)
  await page.getByRole('button', { name: texts.signIn.submit, exact: true }).click()
}

/** Chooses an option of a group by its label. */
export function choose(place: Page | Locator, group: string, option: string): Promise<void> {
  return place.getByRole('radiogroup', { name: group }).getByRole('radio', { name: option, exact: true }).check()
}

/**
 * Handles the first request of the page to the path, and lets the later ones through. The route stays: while Playwright
 * removes the last one, it can lose a request that is on its way, and the page waits for ever.
 */
export function firstRequest(page: Page, path: string, handle: (route: Route) => Promise<unknown>): Promise<unknown> {
  let isFirst = true
  return page.route(`**${path}`, (route) => {
    if (!isFirst) return route.continue()
    isFirst = false
    return handle(route)
  })
}

/**
 * Runs something as soon as the page sends a request to the path, before the service gets it. A session that ends
 * earlier can take the page away from a test that is about to click: any other request of the page notices it.
 */
export async function beforeRequest(page: Page, path: string, act: () => Promise<unknown>): Promise<void> {
  await firstRequest(page, path, async (route) => {
    await act()
    await route.continue()
  })
}

/** From here on, the path answers as after an error of the service. */
export function failing(page: Page, path: string): Promise<unknown> {
  const json = { code: 'INTERNAL_ERROR', message: 'INTERNAL_ERROR' }
  return page.route(`**${path}`, (route) => route.fulfill({ status: 500, json }))
}

/** Waits until the page has a heading and no list that is still loading, and has run the effects of what it shows. */
export async function drawn(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await page.locator('main .animate-pulse').first().waitFor({ state: 'detached' })
  await effectsRun(page)
}

/** Listeners for keys, the focus and the title of the tab come with effects, after what a locator can see. */
export async function effectsRun(page: Page): Promise<void> {
  await page.evaluate('new Promise((run) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(run))))')
}

/** Pastes the text by keyboard, as after copying it from a mail. */
export async function paste(place: Locator, text: string): Promise<void> {
  const page = place.page()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
  await place.focus()
  await page.keyboard.press('ControlOrMeta+V')
}

/** A text of the catalogue, with any number in it. */
export function anyNumber(sentence: (count: number) => string): RegExp {
  return new RegExp(escaped(sentence(Number.NaN)).replace('NaN', '[\\d,]+'))
}

/** A text of the catalogue, with any name in it. */
export function anyWords(sentence: (words: string) => string): RegExp {
  return new RegExp(`^${escaped(sentence('WORDS')).replace('WORDS', '.+')}$`)
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** Ctrl+K, as soon as the page listens for it: one that is still being fetched after a sign-in does not. */
export async function pressForPalette(page: Page, { palette }: Texts = en): Promise<void> {
  await page.getByRole('button', { name: palette.open }).filter({ visible: true }).waitFor()
  await effectsRun(page)
  await page.keyboard.press('Control+k')
}
