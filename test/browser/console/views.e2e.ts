import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { assertAccessible } from '../support/accessible.ts'
import { pressForPalette } from '../support/acts.ts'
import { test } from '../support/test.ts'

const { audit, views, shortcuts, common } = en

test('a view is saved from the filters, opened from its list and the palette, and deleted', async ({
  openConsole,
  administrator,
  ann,
  ben,
}) => {
  await administrator.post('/api/admin/suspend_user', { id: ben.id, reason: 'Too many bells' })
  const page = await openConsole('/console/users')
  const dialog = page.getByRole('dialog', { name: views.title })
  const open = () => page.getByRole('button', { name: views.title }).click()

  await open()
  await expect(dialog.getByText(views.nothingSet)).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByLabel(common.status, { exact: true }).selectOption('suspended')
  await expect(page.getByText(ann.email)).toHaveCount(0)
  await open()
  await dialog.getByLabel(views.name).fill('Away')
  await dialog.getByRole('button', { name: views.save }).click()
  await expect(dialog.getByRole('link', { name: 'Away' })).toBeVisible()
  await assertAccessible(page)
  await page.goto('/console/audit')
  await expect(page.getByRole('table', { name: audit.title })).toBeVisible()
  await pressForPalette(page)
  await page.getByRole('combobox', { name: shortcuts.palette }).fill('away')
  await page.getByRole('option', { name: `${en.console.users}: Away` }).click()
  await expect(page).toHaveURL('/console/users?status=suspended')
  const menu = page.getByRole('navigation').getByRole('link', { name: 'Away' })
  await page.goto('/console')
  await menu.click()
  await expect(page).toHaveURL('/console/users?status=suspended')
  await expect(menu).toHaveAttribute('aria-current', 'page')
  await page.goto('/console/users')
  await open()
  await dialog.getByRole('link', { name: 'Away' }).click()
  await expect(page).toHaveURL('/console/users?status=suspended')
  await expect(dialog).toHaveCount(0)
  await open()
  await dialog.getByRole('button', { name: views.removeNamed('Away') }).click()
  await page
    .getByRole('dialog', { name: views.removeTitle('Away') })
    .getByRole('button', { name: views.remove, exact: true })
    .click()
  await expect(page.getByText(views.removed)).toBeVisible()

  await expect(dialog.getByRole('link', { name: 'Away' })).toHaveCount(0)
  expect((await administrator.post('/api/admin/list_views')).body.items).toEqual([])
})

test('a view of feedback is saved', async ({ openConsole, ann }) => {
  await ann.post('/api/submit_feedback', { type: 'problem', content: 'The bell is loud' })
  const page = await openConsole('/console/feedback?status=new&type=problem')

  await page.getByRole('button', { name: views.title }).click()
  await page.getByRole('dialog').getByLabel(views.name).fill('New problems')
  await page.getByRole('dialog').getByRole('button', { name: views.save }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'New problems' }).click()

  await expect(page).toHaveURL('/console/feedback?status=new&type=problem')
  await expect(page.getByRole('navigation').getByRole('link', { name: 'New problems' })).toBeVisible()
})
