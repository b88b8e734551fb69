import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../web/src/texts/en.ts'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { fillSignIn } from './support/acts.ts'
import { openBrowserSession } from './support/browser-session.ts'

describe('a page that is opened', () => {
  it('asks for its list at the same time as the session and its script', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('heading', { name: en.overview.title }).waitFor()

    // Nothing else gets an answer before the list has been requested: a page that waits for it never opens.
    const listed = page.waitForRequest('**/api/admin/list_users')
    for (const other of ['**/api/auth/get-session', '**/api/client_config', '**/assets/users-*.js']) {
      await page.route(other, async (route) => {
        await listed
        await route.continue()
      })
    }
    await page.goto('/console/users?search=ann')

    await page.getByRole('link', { name: ann.email }).waitFor()
    assert.match((await listed).postData() ?? '', /"search":"ann"/)
  })

  it('is fetched when a user points at its link', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/settings')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByLabel(en.profile.name).waitFor()

    const listed = page.waitForRequest('**/api/auth/list-sessions')
    await page.getByRole('link', { name: en.settings.sessions }).hover()
    await listed

    assert.match(page.url(), /\/settings$/)
  })
})
