import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Locator, Page, Request } from 'playwright-core'
import { en } from '../../web/src/texts/en.ts'
import { startDevice } from '../service/grants.ts'
import { people, stranger } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { assertAccessible } from './support/accessible.ts'
import { drawn, fillSignIn } from './support/acts.ts'
import { openBrowserSession } from './support/browser-session.ts'
import { enterAs } from './support/enter-as.ts'
import { CONSOLE, INSIDE } from './support/paths.ts'

const gatewayPage = { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }
const fault = {
  status: 500,
  contentType: 'application/json',
  body: JSON.stringify({ code: 'INTERNAL_ERROR', message: 'INTERNAL_ERROR' }),
}

const retry = (page: Page) => page.getByRole('button', { name: en.common.tryAgain })

const builtPage = fileURLToPath(new URL('../../dist/web/index.html', import.meta.url))

/** Pages that load nothing but their frame. */
const ASK_NOTHING = [
  '/feedback',
  '/settings',
  '/settings/data',
  '/settings/nowhere',
  '/beta',
  '/oauth/authorize',
  '/console/connect',
]

/** What every page asks for. */
const IN_THE_FRAME = [
  '/api/auth/get-session',
  '/api/client_config',
  '/api/live',
  '/api/count_unread_notifications',
]
/** Without them the home page lacks a hint, and nothing else. */
const FOR_A_HINT = ['/api/auth/list-accounts', '/api/admin/get_overview', '/api/admin/get_brand_config']

const patienceMilliseconds = 60_000

describe('while the server fails', () => {
  it('the session cannot be read: every page says so and offers to try again', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/sign-in')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByRole('heading', { name: en.home.title('ann') }).waitFor()

    await page.route('**/api/auth/get-session', (route) => route.fulfill(gatewayPage))
    for (const path of ['/settings/sessions', '/oauth/authorize']) {
      await page.goto(path)
      await page.getByText(en.failures.STORE_UNAVAILABLE).waitFor()
      await assertAccessible(page)
    }
    await page.goto('/settings/sessions')
    await retry(page).waitFor()
    await page.unroute('**/api/auth/get-session')
    await retry(page).click()

    await page.getByText(en.sessions.current).waitFor()
  })

  it('the pages cannot be set up: they say so and offer to try again', async () => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    // As it is served while the store is away: without the configuration in it.
    const body = readFileSync(builtPage, 'utf8')
    await page.route('**/sign-in', (route) => route.fulfill({ contentType: 'text/html', body }))
    await page.route('**/api/client_config', (route) => route.fulfill(fault))

    await page.goto('/sign-in')
    await page.getByRole('heading', { name: en.broken.unreachable }).waitFor()
    await assertAccessible(page)
    await page.unroute('**/api/client_config')
    await retry(page).click()

    await page.getByRole('heading', { name: en.signIn.title }).waitFor()
  })

  it('each page says what failed and shows all of it after another try', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/')
    await page.getByRole('heading', { name: anyHello }).waitFor()
    const person = `/console/users/${ann.id}`
    const { body: device } = await startDevice(stranger(service), 'account:profile:read')
    const consent = `/oauth/authorize?user_code=${device.user_code}`

    for (const path of [...INSIDE, ...CONSOLE, person, consent]) {
      if (!ASK_NOTHING.includes(path)) await failThenTryAgain(page, path, [])
    }
    await failThenTryAgain(page, person, ['/api/admin/get_user'])

    assert.deepEqual(browser.complaints, [])
  })

  it('each page can be read by everyone while the connection is lost', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/')
    await page.getByRole('heading', { name: anyHello }).waitFor()

    for (const path of [
      '/',
      '/settings/security',
      '/console',
      '/console/users',
      `/console/users/${ann.id}`,
    ]) {
      await page.goto(path, { waitUntil: 'networkidle' })
      await drawn(page)
      await page.context().setOffline(true)
      await page.getByRole('alert').getByText(en.connection.lost).waitFor()
      await assertAccessibleInBothThemes(page)
      await page.context().setOffline(false)
    }

    assert.deepEqual(browser.complaints, [])
  })
})

/** Every request of the page fails, except those that are spared; then the user presses every retry button. */
async function failThenTryAgain(page: Page, path: string, spared: readonly string[]): Promise<void> {
  const missing = new Set<string>()
  const failures = page.getByRole('alert').filter({ hasText: en.failures.INTERNAL_ERROR })
  // The page before may still be loading its preview of a letter.
  await page.goto('about:blank')
  await page.route('**/api/**', (route) => {
    const { pathname } = new URL(route.request().url())
    if ([...IN_THE_FRAME, ...spared].includes(pathname)) return route.continue()
    if (path !== '/' || !FOR_A_HINT.includes(pathname)) missing.add(pathname)
    return route.fulfill(fault)
  })
  await page.goto(path)
  await failures.first().waitFor()
  await page.waitForLoadState('networkidle')
  await assertAccessibleInBothThemes(page)

  await page.unroute('**/api/**')
  page.on('request', note)
  const giveUpAt = performance.now() + patienceMilliseconds
  while (missing.size > 0 && performance.now() < giveUpAt) await pressEach(retry(page))
  page.off('request', note)
  assert.deepEqual([...missing], [], `${path} does not ask for it again`)
  await failures.first().waitFor({ state: 'detached' })

  function note(request: Request): void {
    missing.delete(new URL(request.url()).pathname)
  }
}

async function assertAccessibleInBothThemes(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await assertAccessible(page)
  }
}

/** All in one turn of the page: one press can remove several of them. */
const pressEach = (buttons: Locator) =>
  buttons.evaluateAll((shown) => {
    for (const button of shown) button.click()
  })

const anyHello = new RegExp(`^${en.home.title('')}`)
