import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { en } from '../../web/src/texts/en.ts'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { fillSignIn } from './support/acts.ts'
import { openBrowserSession } from './support/browser-session.ts'

/** Opened from this button by keyboard and closed by Escape: the focus returns. */
async function assertReturns(page: Page, path: string, button: string): Promise<void> {
  await page.goto(path)
  const opener = page.getByRole('button', { name: button, exact: true }).first()
  await opener.focus()
  await page.keyboard.press('Enter')
  // The keyboard works in a dialog once it has the focus.
  await page.locator('[role=dialog]:focus-within').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  // The focus returns a moment after the dialog is gone.
  await opener.and(page.locator(':focus')).waitFor()
}

describe('a message', () => {
  it('is named by its words', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await administrator.post('/api/admin/create_notification', { title: 'Bells', content: 'On Sunday' })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/notifications')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByRole('button', { name: en.notifications.readAll }).click()
    await page.getByRole('alertdialog', { name: en.notifications.allRead }).waitFor()
  })
})

describe('a dialog', () => {
  it('is closed by Escape, and the focus returns to what opened it', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A second bell' })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console/users')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('heading', { name: en.people.title }).waitFor()

    await assertReturns(page, '/console/users', en.invite.open)
    await assertReturns(page, '/console/notifications', en.publishing.write)
    await assertReturns(page, '/console/applications', en.applications.register)
    await assertReturns(page, '/console/feedback', 'A second bell')
    await assertReturns(page, `/console/users/${ann.id}`, en.people.suspend)
    await assertReturns(page, `/console/users/${ann.id}`, en.person.verify)
    await assertReturns(page, '/', en.palette.open)
    await page.setViewportSize({ width: 390, height: 844 })
    await assertReturns(page, '/', en.nav.open)

    assert.deepEqual(browser.complaints, [])
  })

  it('that removes the button or the row it came from leaves the focus on the nearest heading', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const scope = { scope: 'product:bells:read', description: 'hear the bells' }
    await administrator.post('/api/admin/declare_product_scope', scope)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const focused = page.locator(':focus')
    await page.goto(`/console/users/${ann.id}`)
    await fillSignIn(page, administrator.email, administrator.password)

    await page.getByRole('button', { name: en.people.suspend }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(en.people.suspendReason).fill('Too many bells')
    await dialog.getByRole('button', { name: en.people.suspend }).click()
    await page.getByRole('button', { name: en.people.restore }).waitFor()
    await page.getByRole('heading', { name: en.person.acts, exact: true }).and(focused).waitFor()
    await page.goto('/console/applications')
    await page.getByRole('button', { name: en.applications.removeScopeTitle(scope.scope) }).click()
    await dialog.getByRole('button', { name: en.applications.removeScope }).click()
    await page.getByText(scope.description).waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: en.applications.productScopes }).and(focused).waitFor()

    assert.deepEqual(browser.complaints, [])
  })
})
