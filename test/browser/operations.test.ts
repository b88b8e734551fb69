import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { fillSignIn } from './acts.ts'
import { assertAccessible, openHouse } from './visit.ts'

describe('operations in the browser', () => {
  it('notifications are counted, filtered, read one by one and all together', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    for (const title of ['One', 'Two', 'Three']) {
      await administrator.post('/api/admin/create_notification', { title, content: `About ${title}` })
    }
    await using house = await openHouse(service)
    const page = await house.enter()
    await page.goto('/')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByText('3 unread notifications').waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Notifications' }).click()
    const two = page.getByRole('listitem').filter({ hasText: 'About Two' })
    await two.getByRole('button', { name: 'Mark as read' }).click()
    await page.getByRole('button', { name: 'Unread', exact: true }).click()
    await two.waitFor({ state: 'detached' })
    const shared = page.url()
    await page.reload()
    await page.getByText('About Three').waitFor()
    await assertAccessible(page)
    const stillUnread = await page.getByText(/^About /).allTextContents()
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await page.getByText('You’re all caught up').waitFor()

    assert.match(shared, /show=unread/)
    assert.deepEqual(stillUnread, ['About Three', 'About One'])
    assert.equal((await ann.post('/api/count_unread_notifications')).body.count, 0)
    assert.deepEqual(house.complaints, [])
  })

  it('feedback reaches the inbox, and the answer comes as a notification', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await using house = await openHouse(service)
    const page = await house.enter()
    await page.goto('/feedback')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByRole('button', { name: 'Send feedback' }).click()
    await page.getByText('This field is required.').waitFor()
    await page.getByLabel('What is it about?').selectOption('problem')
    await page.getByLabel('Your message').fill('The drawbridge squeaks.')
    await page.getByRole('button', { name: 'Send feedback' }).click()
    await page.getByText('Thanks, we’ve received it').waitFor()
    const inbox = await administrator.post('/api/admin/list_feedbacks')
    await administrator.post('/api/admin/create_notification', {
      title: 'Oiled',
      content: 'It is quiet now.',
      target_user_id: inbox.body.items[0].user_id,
    })
    await page.goto('/')
    await page.getByText('1 unread notification').waitFor()

    assert.equal(inbox.body.items[0].content, 'The drawbridge squeaks.')
    assert.equal(inbox.body.items[0].type, 'problem')
  })

  it('a session that ends while somebody writes costs a sign-in, not the text', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using house = await openHouse(service)
    const page = await house.enter()
    await page.goto('/feedback')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByLabel('Your message').fill('A long thought')

    await ann.post('/api/auth/revoke-other-sessions')
    await page.getByRole('button', { name: 'Send feedback' }).click()
    await page.waitForURL('**/sign-in?**')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByLabel('Your message').waitFor()

    assert.equal(await page.getByLabel('Your message').inputValue(), 'A long thought')
  })
})
