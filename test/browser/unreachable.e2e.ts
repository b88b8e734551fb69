import { expect, type Page } from '@playwright/test'
import { en } from '../../web/src/texts/en.ts'
import { register } from '../service/applications.ts'
import { startDevice } from '../service/grants.ts'
import { stranger } from '../service/people.ts'
import { assertAccessible } from './support/accessible.ts'
import { anyWords, drawn } from './support/acts.ts'
import { CONSOLE, INSIDE } from './support/paths.ts'
import { test } from './support/test.ts'

const fault = { status: 500, json: { code: 'INTERNAL_ERROR', message: 'INTERNAL_ERROR' } }

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

/** The requests of every page. */
const IN_THE_FRAME = ['/api/auth/get-session', '/api/client_config', '/api/live', '/api/count_unread_notifications']
/** Without them the home page lacks a hint, and nothing else. */
const FOR_A_HINT = [
  '/api/auth/list-accounts',
  '/api/auth/security-overview',
  '/api/admin/get_overview',
  '/api/admin/get_brand_config',
]

test.describe('while the server fails', () => {
  test.describe.configure({ timeout: 300_000 })

  for (const [area, paths] of Object.entries({ inside: INSIDE, 'of the console': CONSOLE })) {
    test(`each page ${area} says what failed and shows it after a retry`, async ({ enterAs, administrator }) => {
      const page = await enterAs(administrator, '/sign-in?next=/')
      await expect(page.getByRole('heading', { name: anyWords(en.home.title) })).toBeVisible()

      for (const path of paths.filter((one) => !ASK_NOTHING.includes(one))) await failThenTryAgain(page, path)
    })
  }

  test('the pages of one user and one application and a consent do the same', async ({
    enterAs,
    service,
    administrator,
    ann,
  }) => {
    const page = await enterAs(administrator, '/sign-in?next=/')
    await expect(page.getByRole('heading', { name: anyWords(en.home.title) })).toBeVisible()
    const { body: device } = await startDevice(stranger(service), 'account:profile:read')
    const application = await register(administrator)

    await failThenTryAgain(page, `/oauth/authorize?user_code=${device.user_code}`)
    await failThenTryAgain(page, `/console/users/${ann.id}`)
    await failThenTryAgain(page, `/console/users/${ann.id}`, ['/api/admin/get_user'])
    await failThenTryAgain(page, '/console/applications/new?for=other')
    await failThenTryAgain(page, `/console/applications/${application.id}`)
    await failThenTryAgain(page, `/console/applications/${application.id}`, ['/api/admin/get_application'])
  })

  test('each page can be read while the connection is lost', async ({ enterAs, administrator, ann }) => {
    const page = await enterAs(administrator, '/sign-in?next=/')
    await expect(page.getByRole('heading', { name: anyWords(en.home.title) })).toBeVisible()

    for (const path of ['/', '/settings/security', '/console', '/console/users', `/console/users/${ann.id}`]) {
      await page.goto(path, { waitUntil: 'networkidle' })
      await drawn(page)
      await page.context().setOffline(true)
      await expect(page.getByRole('alert').getByText(en.connection.lost)).toBeVisible()
      await assertAccessibleInBothThemes(page)
      await page.context().setOffline(false)
    }
  })
})

/** The menu asks again by itself for its number and its views; some pages ask for the same. */
const IN_THE_MENU: Readonly<Record<string, RegExp>> = {
  '/api/admin/list_feedbacks': /\/(feedback|users\/)/,
  '/api/admin/list_views': /^$/,
}

/** Every request of the page fails, except those that are spared; then the user presses every retry button. */
async function failThenTryAgain(page: Page, path: string, spared: readonly string[] = []): Promise<void> {
  const missing = new Set<string>()
  const failures = page.getByRole('alert').filter({ hasText: en.failures.INTERNAL_ERROR })
  // The page before may still be loading its preview of a letter.
  await page.goto('about:blank')
  await page.route('**/api/**', (route) => {
    const { pathname } = new URL(route.request().url())
    if ([...IN_THE_FRAME, ...spared].includes(pathname)) return route.continue()
    if (path !== '/' || !FOR_A_HINT.includes(pathname)) missing.add(pathname)
    if (IN_THE_MENU[pathname]?.test(path) === false) missing.delete(pathname)
    return route.fulfill(fault)
  })
  await page.goto(path)
  await expect(failures.first()).toBeVisible()
  await page.waitForLoadState('networkidle')
  await assertAccessibleInBothThemes(page)

  await page.unroute('**/api/**')
  page.on('request', (request) => missing.delete(new URL(request.url()).pathname))
  await expect.poll(() => pressEach(page).then(() => [...missing]), `${path} asks for all of it again`).toEqual([])
  await expect(failures).toHaveCount(0)
}

async function assertAccessibleInBothThemes(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await assertAccessible(page)
  }
}

/** All in one turn of the page: one press can remove several of them. */
const pressEach = (page: Page) =>
  page.getByRole('button', { name: en.common.tryAgain }).evaluateAll((shown) => {
    for (const button of shown) button.click()
  })
