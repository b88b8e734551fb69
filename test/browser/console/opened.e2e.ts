import { expect } from '@playwright/test'
import { v7 as newId } from 'uuid'
import { en } from '../../../web/src/texts/en.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn } from '../support/acts.ts'
import { test } from '../support/test.ts'

const url = 'https://quiet.example.com/hook'

test.describe('a link that opens one row of a list in the console', () => {
  test('says that the row is missing, until the list is opened without it', async ({
    openConsole,
    administrator,
    ann,
  }) => {
    const { body } = await administrator.post('/api/admin/create_webhook', { url })
    await administrator.post('/api/admin/create_notification', { title: 'One', content: 'C' })
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A second bell.' })
    const page = await openConsole('/console/shards')
    const missing = page.getByRole('status').filter({ hasText: en.lists.askedIsMissing })
    await expect(page.getByRole('row').nth(1)).toBeVisible()

    for (const path of ['/console/feedback', '/console/notifications']) {
      await page.goto(`${path}?open=${newId()}`)
      await expect(missing).toBeVisible()
      await page.goto(path)
      await expect(page.getByRole('row').nth(1)).toBeVisible()
      await expect(missing).toHaveCount(0)
    }
    await page.goto(`/console/webhooks?open=${body.id}`)
    await expect(page).toHaveURL(`/console/webhooks/${body.id}`)
    await page.getByRole('button', { name: `${en.common.remove}: ${url}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: en.common.remove }).click()
    await expect(page).toHaveURL('/console/webhooks')
    await expect(page.getByText(en.webhooks.emptyTitle)).toBeVisible()
    await page.goBack()
    await expect(page.getByText(en.webhooks.gone)).toBeVisible()
    await assertAccessible(page)
  })
})

test.describe('a notification that is being changed', () => {
  test('stays open with what was typed when it leaves the list', async ({ page, administrator }) => {
    const { body } = await administrator.post('/api/admin/create_notification', {
      title: 'One',
      content: 'C',
    })
    await page.clock.install()
    await page.goto(`/console/notifications?open=${body.id}`)
    await fillSignIn(page, administrator.email, administrator.password)
    const content = page.getByRole('dialog').getByLabel(en.publishing.content)
    await content.fill('A longer text')

    await administrator.post('/api/admin/archive_notification', { id: body.id })
    await page.clock.fastForward('01:00')
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
    await expect(page.getByText(en.publishing.emptyTitle)).toBeAttached()

    await expect(content).toHaveValue('A longer text')
  })
})
