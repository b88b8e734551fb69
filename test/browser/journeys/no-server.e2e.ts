import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { assertAccessible } from '../support/accessible.ts'
import { failing, firstRequest } from '../support/acts.ts'
import { test } from '../support/test.ts'

const gatewayPage = { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }
const builtPage = fileURLToPath(new URL('../../../dist/web/index.html', import.meta.url))

const retry = (page: Page) => page.getByRole('button', { name: en.common.tryAgain })

test('while the session cannot be read, pages say so and offer to try again', async ({ enterAs, ann }) => {
  const page = await enterAs(ann, '/sign-in')
  await expect(page.getByRole('heading', { name: en.home.title('ann') })).toBeVisible()

  await page.route('**/api/auth/get-session', (route) => route.fulfill(gatewayPage))
  for (const path of ['/settings/sessions', '/oauth/authorize']) {
    await page.goto(path)
    await expect(page.getByText(en.failures.STORE_UNAVAILABLE)).toBeVisible()
    await assertAccessible(page)
  }
  await page.goto('/settings/sessions')
  await expect(retry(page)).toBeVisible()
  await page.unroute('**/api/auth/get-session')
  await retry(page).click()

  await expect(page.getByText(en.sessions.current)).toBeVisible()
})

test('while the pages cannot be set up, they say so and offer to try again', async ({ page, complaints }) => {
  // The form served while the store is away: without the configuration in it.
  const body = readFileSync(builtPage, 'utf8')
  await page.route('**/sign-in', (route) => route.fulfill({ contentType: 'text/html', body }))
  await failing(page, '/api/client_config')

  await page.goto('/sign-in')
  await expect(page.getByRole('heading', { name: en.broken.unreachable })).toBeVisible()
  await assertAccessible(page)
  await page.unroute('**/api/client_config')
  await retry(page).click()

  await expect(page.getByRole('heading', { name: en.signIn.title })).toBeVisible()
  // React logs what a page could not go on with.
  expect(complaints.splice(0)).toEqual([expect.stringContaining('INTERNAL_ERROR')])
})

test('a lost connection is shown, nothing typed is lost, and the page recovers', async ({ enterAs, ann }) => {
  const page = await enterAs(ann, '/')
  const late = Promise.withResolvers<void>()
  await firstRequest(page, '/api/list_own_feedbacks', async (route) => {
    await late.promise
    await route.fulfill({ json: { items: [], total: 0 } })
  })
  await page.goto('/feedback')
  await page.getByLabel(en.feedback.content).fill('A wish')

  await page.context().setOffline(true)
  await page.getByRole('button', { name: en.feedback.submit }).click()
  await expect(page.getByText(en.failures.NETWORK)).toBeVisible()
  late.resolve()
  await expect(page.getByText(en.feedback.ownNone)).toBeVisible()
  await expect(page.getByText(en.connection.lost)).toBeVisible()
  await page.context().setOffline(false)
  await expect(page.getByText(en.connection.lost)).toHaveCount(0)
  await expect(page.getByLabel(en.feedback.content)).toHaveValue('A wish')
  await page.getByRole('button', { name: en.feedback.submit }).click()
  await expect(page.getByText(en.feedback.sentTitle)).toBeVisible()
})
