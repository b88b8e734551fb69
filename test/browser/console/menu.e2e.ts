import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { Person } from '../../service/people.ts'
import { assertAccessible } from '../support/accessible.ts'
import { effectsRun, pressForPalette } from '../support/acts.ts'
import { CONSOLE } from '../support/paths.ts'
import { test } from '../support/test.ts'

const { nav, palette, shortcuts } = en
const notSettings = CONSOLE.filter((path) => !path.startsWith('/console/settings/'))

test.describe('the menu', () => {
  test('has the whole console in view, counts new feedback, and leads to the user’s own account', async ({
    openConsole,
    administrator,
    ann,
  }) => {
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A second bell' })
    await administrator.post('/api/admin/create_notification', { title: 'Hello', content: 'World' })
    const page = await openConsole('/console', { viewport: { width: 1280, height: 800 } })
    const menu = page.getByRole('navigation', { name: nav.label })
    const places = menu.getByRole('list', { name: nav.places })
    const links = menu.getByRole('list', { name: nav.console }).getByRole('link')

    await expect(links.filter({ hasText: nav.newFeedback(1) })).toHaveAttribute('href', '/console/feedback')
    const leads = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(leads.sort()).toEqual([...notSettings].sort())
    for (const link of await links.all()) await expect(link).toBeInViewport({ ratio: 1 })
    await expect(places.getByText(nav.unread(1))).toBeVisible()
    await assertAccessible(page)
    await places.getByRole('link', { name: nav.account }).click()
    await expect(menu.getByRole('link', { name: nav.home })).toBeVisible()
    await expect(links).toHaveCount(0)

    await expect(places.getByRole('link', { name: nav.console })).toContainText(nav.newFeedback(1))
  })

  test('stays open on a phone while its place is switched, and can be scrolled whole on a low screen', async ({
    enterAs,
    administrator,
  }) => {
    const page = await enterAs(administrator, '/sign-in?next=/', { viewport: { width: 700, height: 320 } })
    const drawer = page.getByRole('dialog')

    await page.getByRole('button', { name: nav.open }).click()
    await drawer.getByRole('link', { name: nav.console }).click()
    await expect(page).toHaveURL('/console')
    await drawer.getByRole('link', { name: en.console.audit }).scrollIntoViewIfNeeded()
    await expect(drawer.getByRole('link', { name: en.console.audit })).toBeInViewport({ ratio: 1 })
    await drawer.getByRole('link', { name: en.console.audit }).click()

    await expect(page).toHaveURL('/console/audit')
    await expect(drawer).toHaveCount(0)
  })
})

test('? lists the shortcuts, and / leads into the search field', async ({ openConsole }) => {
  const page = await openConsole('/console/users')
  await expect(page.getByRole('table')).toBeVisible()
  await effectsRun(page)

  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: shortcuts.title })).toBeVisible()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('/')

  await expect(page.getByLabel(en.people.search)).toBeFocused()
})

test('the palette shows eight users with their names, and leads to all of them', async ({
  service,
  openConsole,
  ann,
}) => {
  await ann.post('/api/auth/update-user', { name: 'José Müller' })
  for (let number = 1; number <= 8; number += 1)
    await new Person(service, `muller${number}@example.com`, 'a lantern in the gateway').signUp()
  const page = await openConsole('/console')
  await expect(page.getByRole('heading', { name: en.overview.title, exact: true })).toBeVisible()
  await pressForPalette(page)
  await page.getByRole('combobox', { name: shortcuts.palette }).fill('muller')
  await expect(page.getByRole('option', { name: palette.others })).toBeVisible()
  await expect(page.getByRole('dialog').getByRole('option')).toHaveCount(9)
  await page.getByRole('combobox', { name: shortcuts.palette }).fill('müller jose')
  await page.getByRole('option', { name: `${palette.person(ann.email)} José Müller` }).click()

  await expect(page.getByRole('heading', { name: ann.email })).toBeVisible()
})
