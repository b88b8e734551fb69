import { expect } from '@playwright/test'
import { en } from '../../web/src/texts/en.ts'
import { test } from './support/test.ts'

test.describe('a page that is opened', () => {
  test('asks for its list and the saved views of the menu at the same time as the session and its script', async ({
    openConsole,
    ann,
  }) => {
    const page = await openConsole('/console')
    await expect(page.getByRole('heading', { name: en.overview.title })).toBeVisible()

    // Nothing else is answered before both have been requested: a page that waited for it would never open.
    const listed = page.waitForRequest('**/api/admin/list_users')
    const viewed = page.waitForRequest('**/api/admin/list_views')
    for (const other of ['**/api/auth/get-session', '**/api/client_config', '**/assets/users-*.js']) {
      await page.route(other, async (route) => {
        await Promise.all([listed, viewed])
        await route.continue()
      })
    }
    await page.goto('/console/users?search=ann')

    await expect(page.getByRole('link', { name: ann.email })).toBeVisible()
    expect((await listed).postDataJSON()).toMatchObject({ search: 'ann' })
  })

  test('is fetched when a user points at its link', async ({ enterAs, ann }) => {
    const page = await enterAs(ann, '/settings')
    await expect(page.getByLabel(en.profile.name)).toBeVisible()

    const listed = page.waitForRequest('**/api/auth/list-sessions')
    await page.getByRole('link', { name: en.settings.security }).hover()
    await listed

    await expect(page).toHaveURL(/\/settings$/)
  })
})
