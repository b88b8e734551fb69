import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { changeSettings } from '../../service/change-settings.ts'
import type { Person } from '../../service/people.ts'
import { assertAccessible } from '../support/accessible.ts'
import { test as base } from '../support/test.ts'

const { nav, person, sessions, otherAccount } = en

const test = base.extend({
  service: async ({ service }, use) => {
    await changeSettings(service, 'authentication', { impersonation: 'read_and_write', accounts_per_browser: 3 })
    await use(service)
  },
})

const banner = (page: Page) => page.getByRole('status').filter({ hasText: nav.stopActing })

async function begin(page: Page, user: Person, more: { readonly write?: boolean } = {}): Promise<void> {
  await page.getByRole('button', { name: person.actAs }).click()
  const dialog = page.getByRole('dialog', { name: person.actAsTitle(user.email) })
  await dialog.getByLabel(person.actAsReason).fill('Ticket 7')
  if (more.write) await dialog.getByLabel(person.actAsWrite).click()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: person.actAs }).click()
  await expect(banner(page)).toBeVisible()
}

test('the administrator sees the pages as a user and stops; the user finds the reason and what was changed', async ({
  openConsole,
  enterAs,
  ann,
}) => {
  const page = await openConsole(`/console/users/${ann.id}`)
  await begin(page, ann, { write: true })
  await expect(page.getByRole('heading', { name: en.home.title('ann') })).toBeVisible()
  await expect(page.getByText(nav.actingWrites)).toBeVisible()
  await expect(page.getByRole('button', { name: nav.accounts })).toHaveCount(0)
  await assertAccessible(page)
  await page.goto('/feedback')
  await page.getByLabel(en.feedback.content).fill('A bell for Ann.')
  await page.getByRole('button', { name: en.feedback.submit }).click()
  await expect(page.getByText(en.feedback.sentTitle)).toBeVisible()

  await page.goto('/settings/security')
  await expect(page.getByText(en.failures.IMPERSONATION_REFUSED)).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toHaveCount(0)
  const own = await enterAs(ann, '/settings/security')
  await expect(own.getByText(sessions.actedNow).first()).toBeVisible()

  await page.getByRole('button', { name: nav.stopActing }).click()
  await expect(page.getByRole('heading', { name: ann.email })).toBeVisible()
  await expect(banner(page)).toHaveCount(0)
  await own.reload()
  await expect(own.getByText('Ticket 7')).toBeVisible()
  await expect(own.getByText(sessions.actedChanges(en.approvals.actions.submit_feedback))).toBeVisible()
  await expect(own.getByText(sessions.actedNow)).toHaveCount(0)
  await assertAccessible(own)
})

test('acting that the user ends brings the administrator back', async ({ openConsole, ann }) => {
  const page = await openConsole(`/console/users/${ann.id}`)
  await begin(page, ann)
  await expect(page.getByRole('heading', { name: en.home.title('ann') })).toBeVisible()
  await ann.post('/api/auth/revoke-other-sessions')

  await page.getByRole('navigation').getByRole('link', { name: nav.notifications }).click()
  await expect(page.getByRole('heading', { name: ann.email })).toBeVisible()
})

test('another window of the administrator keeps what was typed, and stops the acting', async ({ openConsole, ann }) => {
  const page = await openConsole('/feedback')
  await page.getByLabel(en.feedback.content).fill('A bell for everybody.')
  const other = await page.context().newPage()
  await other.goto(`/console/users/${ann.id}`)
  await begin(other, ann)

  const dialog = page.getByRole('dialog', { name: otherAccount.actingTitle })
  await expect(dialog).toBeVisible()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: otherAccount.stop }).click()
  await expect(page.getByLabel(en.feedback.content)).toHaveValue('A bell for everybody.')
  await page.getByRole('button', { name: en.feedback.submit }).click()
  await expect(page.getByText(en.feedback.sentTitle)).toBeVisible()
  expect((await ann.post('/api/list_own_feedbacks')).body.total).toBe(0)
})
