import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { onStaff, proven } from '../../service/staff.ts'
import { assertAccessible } from '../support/accessible.ts'
import { pressForPalette } from '../support/acts.ts'
import { test } from '../support/test.ts'

const { staff, console: pages, nav, shortcuts } = en

test('the administrator adds a member by role, changes the permissions and removes the member', async ({
  openConsole,
  service,
  ann,
}) => {
  await proven(service, ann)
  const page = await openConsole('/console/staff')
  const row = page.getByRole('row', { name: new RegExp(ann.email) })

  await expect(page.getByText(staff.emptyTitle)).toBeVisible()
  await page.getByLabel(staff.email).fill(ann.email)
  await page.getByLabel(staff.preset, { exact: true }).selectOption('support')
  await page.getByRole('button', { name: staff.add }).click()
  await expect(row).toContainText(staff.presets.support)
  await assertAccessible(page)
  await page.getByRole('button', { name: `${staff.change}: ${ann.email}` }).click()
  await page.getByRole('checkbox').first().uncheck()
  await page.getByRole('button', { name: staff.save, exact: true }).click()
  await expect(row).toContainText(staff.presets.own)
  await page.getByRole('button', { name: `${staff.remove}: ${ann.email}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: staff.remove }).click()
  await expect(page.getByText(staff.emptyTitle)).toBeVisible()
})

test('a member sees what is shared, and whom to ask for the rest', async ({ enterAs, service, administrator, ann }) => {
  await onStaff(service, administrator, ann, 'admin:users:read', 'admin:audit:read')
  const page = await enterAs(ann, '/console/users')
  const menu = page.getByRole('navigation', { name: nav.label })

  await expect(page.getByRole('link', { name: 'ben@example.com' })).toBeVisible()
  await expect(menu.getByRole('link', { name: pages.audit })).toBeVisible()
  await expect(menu.getByRole('link', { name: pages.webhooks })).toHaveCount(0)
  await expect(menu.getByRole('link', { name: pages.staff })).toHaveCount(0)
  await pressForPalette(page)
  await page.getByRole('combobox', { name: shortcuts.palette }).fill(pages.webhooks)
  await expect(page.getByRole('option', { name: pages.webhooks })).toHaveCount(0)
  await page.keyboard.press('Escape')
  for (const path of ['/console/webhooks', '/console/settings/email', '/console']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { name: staff.notShared })).toBeVisible()
    await expect(page.getByText(staff.ask)).toBeVisible()
    await assertAccessible(page)
  }
  await page.goto('/console/staff')
  await expect(page.getByText(staff.administratorsOwn)).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: pages.audit }).click()
  await expect(page).toHaveURL('/console/audit')
})
