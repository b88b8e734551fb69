import { expect } from '@playwright/test'
import { en } from '../../web/src/texts/en.ts'
import { test } from './support/test.ts'

test.describe('a dialog', () => {
  test('is closed by Escape, and the focus returns to what opened it', async ({ openConsole, ann }) => {
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A second bell' })
    const page = await openConsole('/console/users')
    await expect(page.getByRole('heading', { name: en.people.title })).toBeVisible()

    for (const [path, button] of [
      ['/console/users', en.invite.open],
      ['/console/notifications', en.publishing.write],
      ['/console/feedback', 'A second bell'],
      [`/console/users/${ann.id}`, en.people.suspend],
      [`/console/users/${ann.id}`, en.person.verify],
      ['/', en.palette.open],
      ['/', en.nav.open],
    ] as const) {
      if (button === en.nav.open) await page.setViewportSize({ width: 390, height: 844 })
      await page.goto(path)
      const opener = page.getByRole('button', { name: button, exact: true }).first()
      await opener.press('Enter')
      // The keyboard works in a dialog once it has the focus.
      await expect(page.locator('[role=dialog]:focus-within')).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await expect(opener).toBeFocused()
    }
  })

  test('that removes the button or the row it came from leaves the focus on the nearest heading', async ({
    openConsole,
    administrator,
    ann,
  }) => {
    const scope = { scope: 'product:bells:read', description: 'hear the bells' }
    await administrator.post('/api/admin/declare_product_scope', scope)
    const page = await openConsole(`/console/users/${ann.id}`)
    const dialog = page.getByRole('dialog')

    await page.getByRole('button', { name: en.people.suspend }).click()
    await dialog.getByLabel(en.people.suspendReason).fill('Too many bells')
    await dialog.getByRole('button', { name: en.people.suspend }).click()
    await expect(page.getByRole('button', { name: en.people.restore })).toBeVisible()
    await expect(page.getByRole('heading', { name: en.common.actions, exact: true })).toBeFocused()
    await page.goto('/console/applications')
    await page.getByRole('button', { name: en.applications.removeScopeTitle(scope.scope) }).click()
    await dialog.getByRole('button', { name: en.common.remove }).click()
    await expect(page.getByText(scope.description)).toHaveCount(0)
    await expect(page.getByRole('heading', { name: en.applications.productScopes })).toBeFocused()
  })

  test('that is long keeps its close button in view on a low phone', async ({ openConsole }) => {
    const page = await openConsole('/console/notifications', {
      viewport: { width: 390, height: 500 },
    })
    await page.getByRole('button', { name: en.publishing.write }).first().click()
    const dialog = page.getByRole('dialog')

    await dialog.getByRole('button', { name: en.publishing.publish }).scrollIntoViewIfNeeded()
    const close = dialog.getByRole('button', { name: en.common.close })
    await expect(close).toBeInViewport({ ratio: 1 })
    await close.click()
    await expect(dialog).toHaveCount(0)
  })
})
