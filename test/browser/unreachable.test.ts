import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { en } from '../../web/src/texts/en.ts'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { assertAccessible } from './support/accessible.ts'
import { fillSignIn } from './support/acts.ts'
import { openBrowserSession } from './support/browser-session.ts'

const gatewayPage = { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }
const fault = {
  status: 500,
  contentType: 'application/json',
  body: JSON.stringify({ code: 'INTERNAL_ERROR', message: 'INTERNAL_ERROR' }),
}

const retry = (page: Page) => page.getByRole('button', { name: en.common.tryAgain })

const builtPage = fileURLToPath(new URL('../../dist/web/index.html', import.meta.url))

/** What each page cannot do without. */
const needs = {
  '/notifications': '/api/list_notifications',
  '/settings/security': '/api/auth/security-overview',
  '/settings/tokens': '/api/list_personal_tokens',
  '/settings/password': '/api/auth/list-accounts',
  '/settings/accounts': '/api/auth/list-accounts',
  '/settings/sessions': '/api/auth/list-sessions',
  '/settings/access': '/api/list_grants',
  '/console': '/api/admin/get_overview',
  '/console/settings': '/api/admin/get_authentication_config',
  '/console/settings/providers': '/api/admin/get_authentication_config',
  '/console/settings/email': '/api/admin/get_email_config',
  '/console/settings/credits': '/api/admin/get_credits_config',
  '/console/settings/ai': '/api/admin/get_ai_config',
  '/console/settings/brand': '/api/admin/get_brand_config',
  '/console/feedback': '/api/admin/list_feedbacks',
  '/console/notifications': '/api/admin/list_notifications',
  '/console/users': '/api/admin/list_users',
  '/console/beta-codes': '/api/admin/list_beta_codes',
  '/console/applications': '/api/admin/list_applications',
  '/console/webhooks': '/api/admin/list_webhooks',
  '/console/shards': '/api/admin/list_shards',
  '/console/audit': '/api/admin/list_audit_entries',
}

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

  it('each page says what failed, and shows it after another try', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/sign-in')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('heading', { name: anyHello }).waitFor()

    for (const [path, need] of Object.entries(needs)) {
      await page.route(`**${need}`, (route) => route.fulfill(fault))
      await page.goto(path)
      await page.getByRole('alert').filter({ hasText: en.failures.INTERNAL_ERROR }).first().waitFor()
      await page.unroute(`**${need}`)
      await retry(page).click()
      await page.getByText(en.failures.INTERNAL_ERROR).waitFor({ state: 'detached' })
    }

    assert.deepEqual(browser.complaints, [])
  })
})

const anyHello = new RegExp(`^${en.home.title('')}`)
