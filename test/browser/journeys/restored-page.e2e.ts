import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { firstRequest } from '../support/acts.ts'
import { test } from '../support/test.ts'

/** Tells a page, without leaving it, what a browser says about one that it kept. */
const leave = "dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))"
const comeBack = "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))"

test.describe('checklist 120: a page that the browser kept', () => {
  test('shows nothing until the session was checked, and then who is signed in', async ({ enterAs, ann }) => {
    const page = await enterAs(ann, '/settings')
    await page.getByRole('complementary').waitFor()
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>()
    const { promise: isAllowed, resolve: allow } = Promise.withResolvers<void>()
    await firstRequest(page, '/api/auth/get-session', async (route) => {
      asked()
      await isAllowed
      await route.continue()
    })

    await page.evaluate(leave)
    await page.evaluate(comeBack)
    await isAsked
    await expect(page.locator('body')).toBeHidden()
    allow()

    await expect(page.locator('h1')).toBeVisible()
  })

  test('is never shown again after its session has ended', async ({ enterAs, ann }) => {
    const page = await enterAs(ann, '/settings')
    await page.getByRole('complementary').waitFor()

    await page.evaluate(leave)
    await ann.post('/api/auth/revoke-sessions')
    await page.evaluate(comeBack)

    await expect(page.getByRole('button', { name: en.signIn.submit, exact: true })).toBeVisible()
    await expect(page.getByText(en.signIn.ended(false))).toBeVisible()
  })
})
