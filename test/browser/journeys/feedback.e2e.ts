import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { assertAccessible } from '../support/accessible.ts'
import { choose } from '../support/acts.ts'
import { test } from '../support/test.ts'

const { feedback, inbox, common } = en

test('feedback reaches the inbox, and goes through triage to a reply that the sender reads', async ({
  openConsole,
  enterAs,
  administrator,
  ann,
}) => {
  const context = { page: 'https://app.example.com/gate', mood: 'cross' }
  await ann.post('/api/submit_feedback', { type: 'idea', content: 'A second bell.', context })
  const sender = await enterAs(ann, '/feedback')
  await sender.getByRole('button', { name: feedback.submit }).click()
  await expect(sender.getByText(en.form.required)).toBeVisible()
  await sender.getByLabel(feedback.kind).selectOption('problem')
  await sender.getByLabel(feedback.content).fill('The drawbridge squeaks.')
  await sender.getByRole('button', { name: feedback.submit }).click()
  await expect(sender.getByText(feedback.sentTitle)).toBeVisible()

  const page = await openConsole('/console/feedback')
  await expect(page.getByText('A second bell.')).toBeVisible()
  await page.getByLabel(inbox.search).fill('drawbridge')
  await expect(page.getByText('A second bell.')).toHaveCount(0)
  await page.getByRole('button', { name: 'The drawbridge squeaks.' }).click()
  const dialog = page.getByRole('dialog')
  await choose(dialog, common.status, inbox.statuses.in_progress)
  await expect
    .poll(async () => (await administrator.post('/api/admin/list_feedbacks', { status: 'in_progress' })).body.total)
    .toBe(1)
  await dialog.getByLabel(inbox.note).fill('Oil is ordered.')
  await page.getByRole('button', { name: en.common.save }).click()
  await expect(page.getByText(common.saved)).toBeVisible()
  await dialog.getByLabel(inbox.reply).fill('It is quiet now.')
  await dialog.getByRole('button', { name: inbox.replySend }).click()
  await expect(page.getByText(inbox.replied)).toBeVisible()
  const { body } = await administrator.post('/api/admin/list_feedbacks', { status: 'in_progress' })
  expect(body.items).toMatchObject([
    {
      ...{ type: 'problem', content: 'The drawbridge squeaks.', note: 'Oil is ordered.' },
      ...{ reply: 'It is quiet now.' },
    },
  ])
  await expect(page).toHaveURL(/search=drawbridge/)
  await page.reload()
  await expect(dialog.getByText('The drawbridge squeaks.')).toBeVisible()
  await expect(dialog.getByRole('heading', { name: inbox.answered })).toBeVisible()
  await expect(dialog.getByText('It is quiet now.')).toBeVisible()
  await page.goto('/console/feedback')
  await page.getByRole('button', { name: 'A second bell.' }).click()
  await expect(dialog.getByRole('link', { name: context.page })).toBeVisible()
  await expect(dialog.getByText('cross')).toBeVisible()
  await assertAccessible(page)

  await sender.goto('/')
  await expect(sender.getByText(en.home.unreadSome(1))).toBeVisible()
  await sender.goto('/notifications')
  await expect(sender.getByText('It is quiet now.')).toBeVisible()
  await sender.goto('/feedback')
  const own = sender.getByRole('listitem').filter({ hasText: 'The drawbridge squeaks.' })
  await expect(own.getByRole('heading', { name: feedback.answer })).toBeVisible()
  await expect(own.getByText('It is quiet now.')).toBeVisible()
  await expect(own.getByText(feedback.statuses.in_progress)).toBeVisible()
  await assertAccessible(sender)
})
