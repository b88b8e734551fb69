import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { beforeRequest, fillSignIn, firstRequest } from '../support/acts.ts'
import { listenAs } from '../support/live.ts'
import { test } from '../support/test.ts'

test.describe('two windows of one browser', () => {
  // The news of the stream could tell a window too; here it has to learn it from the other one.
  test.beforeEach(({ page }) => page.context().route('**/api/live*', (route) => route.abort()))

  test('never show two users: one follows a sign-in at the other', async ({ page: first, administrator, ann, ben }) => {
    for (const { id, email } of [ann, ben])
      await administrator.post('/api/admin/create_notification', {
        title: `For ${email}`,
        content: 'Only for you.',
        target_user_id: id,
      })
    const second = await first.context().newPage()
    await second.goto('/notifications')
    await fillSignIn(second, ann.email, ann.password)
    await expect(second.getByRole('heading', { name: `For ${ann.email}` })).toBeVisible()

    await first.context().clearCookies()
    await first.goto('/sign-in')
    await fillSignIn(first, ben.email, ben.password)

    await expect(second.getByRole('heading', { name: `For ${ben.email}` })).toBeVisible()
    await expect(second.getByText(ann.email)).toHaveCount(0)
  })

  test('a window that is still opening follows a sign-in at the other', async ({ page: first, ann }) => {
    const second = await first.context().newPage()
    const entered = Promise.withResolvers<void>()
    await firstRequest(second, '/api/auth/get-session', async (route) => {
      await entered.promise
      await route.fulfill({ json: null })
    })
    await second.goto('/sign-in')
    await expect(second.getByRole('heading', { name: en.signIn.title })).toBeVisible()

    await first.goto('/sign-in')
    await fillSignIn(first, ann.email, ann.password)
    await expect(first.getByRole('heading', { name: en.home.title('ann') })).toBeVisible()
    entered.resolve()

    await expect(second.getByRole('heading', { name: en.home.title('ann') })).toBeVisible()
  })

  test('both leave when the person signs out at one', async ({ page: first, ann }) => {
    await first.goto('/settings')
    await fillSignIn(first, ann.email, ann.password)
    await expect(first.getByLabel(en.profile.name)).toBeVisible()
    const second = await first.context().newPage()
    await second.goto('/settings/security')
    await expect(second.getByText(en.sessions.current)).toBeVisible()

    await first.getByRole('button', { name: en.nav.signOut }).click()

    await expect(second.getByRole('heading', { name: en.signIn.title })).toBeVisible()
    await expect(second).toHaveURL(/next=%2Fsettings%2Fsecurity$/)
  })
})

test('a page that is open signs out when its session is ended elsewhere', async ({ page, service, ann }) => {
  await listenAs(page, ann, '/settings/security')
  await expect(page.getByText(en.sessions.current)).toBeVisible()
  await page.waitForLoadState('networkidle')

  await ann.post('/api/auth/revoke-other-sessions')
  await service.runJob('events')

  await expect(page.getByRole('heading', { name: en.signIn.title })).toBeVisible()
  await expect(page).toHaveURL(/next=%2Fsettings%2Fsecurity$/)
})

test.describe('a session that ends while a user writes costs a sign-in, not the text', () => {
  test('of a message', async ({ enterAs, ann }) => {
    const page = await enterAs(ann, '/feedback')
    await page.getByLabel(en.feedback.content).fill('A long thought')

    await beforeRequest(page, '/api/submit_feedback', () => ann.post('/api/auth/revoke-other-sessions'))
    await page.getByRole('button', { name: en.feedback.submit }).click()
    await expect(page).toHaveURL(/\/sign-in\?/)
    await fillSignIn(page, ann.email, ann.password)

    await expect(page.getByLabel(en.feedback.content)).toHaveValue('A long thought')
  })

  test('of a notification', async ({ openConsole, administrator }) => {
    const page = await openConsole('/console/notifications?open=new')
    const publish = page.getByRole('button', { name: en.publishing.publish, exact: true })
    await page.getByLabel(en.publishing.headline).fill('Maintenance on Sunday')
    await publish.click()
    await page.getByLabel(en.publishing.content, { exact: true }).fill('From 02:00')

    const endAll = () => administrator.post('/api/auth/revoke-sessions')
    await beforeRequest(page, '/api/admin/create_notification', endAll)
    await publish.click()
    await expect(page.getByRole('heading', { name: en.signIn.title })).toBeVisible()
    await fillSignIn(page, administrator.email, administrator.password)

    await expect(page.getByLabel(en.publishing.headline)).toHaveValue('Maintenance on Sunday')
  })
})
