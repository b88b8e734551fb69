import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { v7 as newId } from 'uuid'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { enterAs } from '../support/enter-as.ts'

const url = 'https://quiet.example.com/hook'

describe('a link that opens one row of a list in the console', () => {
  it('says that the row is not there, until the list is looked at without it', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const { body } = await administrator.post('/api/admin/create_webhook', { url })
    await administrator.post('/api/admin/create_notification', { title: 'One', content: 'C' })
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A second bell.' })
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console/shards')
    const missing = page.getByRole('status').filter({ hasText: en.lists.askedIsMissing })
    await page.getByRole('row').nth(1).waitFor()

    for (const path of ['/console/webhooks', '/console/feedback', '/console/notifications']) {
      await page.goto(`${path}?open=${newId()}`)
      await missing.waitFor()
      await page.goto(path)
      await page.getByRole('row').nth(1).waitFor()
      assert.equal(await missing.count(), 0, path)
    }
    await page.goto(`/console/webhooks?open=${body.id}`)
    await page.getByRole('button', { name: `${en.webhooks.remove}: ${url}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: en.webhooks.remove }).click()
    await page.getByText(en.webhooks.emptyTitle).waitFor()
    assert.equal(await missing.count(), 0)
    await page.goBack()
    await missing.waitFor()
    await assertAccessible(page)

    assert.deepEqual(browser.complaints, [])
  })
})

describe('a notification that is being changed', () => {
  it('stays open with what was typed when it leaves the list', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    const { body } = await administrator.post('/api/admin/create_notification', {
      title: 'One',
      content: 'C',
    })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.clock.install()
    await page.goto(`/console/notifications?open=${body.id}`)
    await fillSignIn(page, administrator.email, administrator.password)
    const content = page.getByRole('dialog').getByLabel(en.publishing.content)
    await content.fill('A longer text')

    await administrator.post('/api/admin/archive_notification', { id: body.id })
    await page.clock.fastForward('01:00')
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
    await page.getByText(en.publishing.emptyTitle).waitFor({ state: 'attached' })

    assert.equal(await content.inputValue(), 'A longer text')
    assert.deepEqual(browser.complaints, [])
  })
})
