import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn } from '../support/acts.ts'
import { test } from '../support/test.ts'

const question = (page: Page) => page.getByRole('dialog', { name: en.unsaved.title })
const keep = (page: Page) => question(page).getByRole('button', { name: en.unsaved.keep }).click()
const discard = (page: Page) => question(page).getByRole('button', { name: en.unsaved.discard }).click()

test.describe('unsaved work', () => {
  test('in a dialog survives Escape, closing and Back, until it is discarded', async ({ openConsole }) => {
    const page = await openConsole('/console/notifications', {
      viewport: { width: 390, height: 844 },
    })
    await page.getByRole('button', { name: en.publishing.write }).click()
    const editor = page.getByRole('dialog', { name: en.publishing.write })
    await editor.getByLabel(en.publishing.content).fill('A long letter\n'.repeat(60))

    await page.keyboard.press('Escape')
    await expect(question(page)).toBeVisible()
    await assertAccessible(page)
    await keep(page)
    await editor.getByRole('button', { name: en.common.close }).click()
    await keep(page)
    await page.goBack()
    await keep(page)
    await expect(editor.getByLabel(en.publishing.content)).toHaveValue('A long letter\n'.repeat(60))
    await editor.getByRole('button', { name: en.common.close }).click()
    await discard(page)
    await expect(editor).toHaveCount(0)

    await expect(page).toHaveURL(/\/console\/notifications$/)
  })

  test('in settings is asked about before a tab, a page or Back takes it away', async ({ openConsole }) => {
    const page = await openConsole('/console')
    const menu = page.getByRole('navigation', { name: en.nav.label })
    await menu.getByRole('link', { name: en.console.settings }).last().click()
    const cooldown = page.getByLabel(en.config.fields.email_user_action_cooldown_seconds)
    await cooldown.fill('90')

    await page.getByRole('link', { name: en.config.email, exact: true }).click()
    await keep(page)
    await page.getByRole('link', { name: en.console.users }).click()
    await keep(page)
    await page.goBack()
    await keep(page)
    await expect(cooldown).toHaveValue('90')
    await page.goBack()
    await discard(page)
    await expect(page.getByRole('heading', { name: en.overview.title })).toBeVisible()

    await expect(page).toHaveURL(/\/console$/)
  })

  test('is kept for the user who wrote it, and not shown to the tab’s next user', async ({ page, ann, ben }) => {
    const content = page.getByLabel(en.feedback.content)
    for (const [person, seen] of [
      [ann, ''],
      [ann, 'Between us'],
      [ben, ''],
    ] as const) {
      await page.context().clearCookies()
      await page.goto('/feedback')
      await fillSignIn(page, person.email, person.password)
      await expect(content).toHaveValue(seen)
      if (person === ann) await content.fill('Between us')
    }
  })

  test('is not asked about by the link that skips the navigation', async ({ enterAs, ann }) => {
    const page = await enterAs(ann, '/')
    await page.getByRole('navigation').getByRole('link', { name: en.nav.settings }).click()
    const name = page.getByLabel(en.profile.name)
    await name.fill('Ann of the gate')

    await page.getByRole('link', { name: en.common.skip }).press('Enter')
    await expect(page.locator('main:focus')).toBeVisible()
    await page.getByRole('navigation').getByRole('link', { name: en.nav.feedback }).click()
    await discard(page)
    await expect(page.getByRole('heading', { name: en.nav.feedback, exact: true })).toBeVisible()
    await page.goBack()
    await expect(name).toBeVisible()

    await expect(page).toHaveURL(/\/settings(#content)?$/)
  })
})
