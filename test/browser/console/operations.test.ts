import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { beforeRequest, choose, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { styleOf } from '../support/style-of.ts'

describe('operations in the browser', () => {
  it('notifications are counted, filtered, read one by one and all together', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    for (const title of ['One', 'Two', 'Three']) {
      await administrator.post('/api/admin/create_notification', { title, content: `About ${title}` })
    }
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByText(en.home.unreadSome(3)).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: en.notifications.title }).click()
    const two = page.getByRole('listitem').filter({ hasText: 'About Two' })
    await page.emulateMedia({ forcedColors: 'active' })
    const mark = await styleOf(two.locator(':scope > span'), 'background-color')
    await page.emulateMedia({ forcedColors: 'none' })
    await two.getByRole('button', { name: en.notifications.markRead }).click()
    await choose(page, en.notifications.filter, en.notifications.unread)
    await two.waitFor({ state: 'detached' })
    const shared = page.url()
    await page.reload()
    await page.getByText('About Three').waitFor()
    await assertAccessible(page)
    const stillUnread = await page.getByText(/^About /).allTextContents()
    await page.getByRole('button', { name: en.notifications.readAll }).click()
    await page.getByText(en.notifications.emptyUnreadTitle).waitFor()

    assert.match(shared, /show=unread/)
    assert.equal(mark, 'rgb(0, 0, 0)')
    assert.deepEqual(stillUnread, ['About Three', 'About One'])
    assert.equal((await ann.post('/api/count_unread_notifications')).body.count, 0)
    assert.deepEqual(browser.complaints, [])
  })

  it('feedback reaches the inbox, and the reply arrives as a notification', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/feedback')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByRole('button', { name: en.feedback.submit }).click()
    await page.getByText(en.form.required).waitFor()
    await page.getByLabel(en.feedback.kind).selectOption('problem')
    await page.getByLabel(en.feedback.content).fill('The drawbridge squeaks.')
    await page.getByRole('button', { name: en.feedback.submit }).click()
    await page.getByText(en.feedback.sentTitle).waitFor()
    const inbox = await administrator.post('/api/admin/list_feedbacks')
    await administrator.post('/api/admin/create_notification', {
      title: 'Oiled',
      content: 'It is quiet now.',
      target_user_id: inbox.body.items[0].user_id,
    })
    await page.goto('/')
    await page.getByText(en.home.unreadSome(1)).waitFor()

    assert.equal(inbox.body.items[0].content, 'The drawbridge squeaks.')
    assert.equal(inbox.body.items[0].type, 'problem')
  })

  it('a session that ends while a user writes costs a sign-in, not the text', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/feedback')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByLabel(en.feedback.content).fill('A long thought')

    await beforeRequest(page, '/api/submit_feedback', () => ann.post('/api/auth/revoke-other-sessions'))
    await page.getByRole('button', { name: en.feedback.submit }).click()
    await page.waitForURL('**/sign-in?**')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByLabel(en.feedback.content).waitFor()

    assert.equal(await page.getByLabel(en.feedback.content).inputValue(), 'A long thought')
  })
})
