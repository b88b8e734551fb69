import { expect } from '@playwright/test'
import { en } from '../../web/src/texts/en.ts'
import { newcomer } from '../service/people.ts'
import { anyWords, drawn, effectsRun, fillSignIn } from './support/acts.ts'
import { hold, listenAs, listening, publish, unread, watchRequests } from './support/live.ts'
import { test } from './support/test.ts'

const BOOKMARK = 'x-db-meta-bookmark'

test.describe('a page that is open', () => {
  test('calls something new for a minute only', async ({ page, service, administrator, ann }) => {
    await administrator.post('/api/admin/create_notification', { title: 'The bell', content: 'It rings.' })
    await page.clock.install({ time: service.clock.now() })
    await page.goto('/notifications')
    await fillSignIn(page, ann.email, ann.password)
    const bell = page.getByRole('article').filter({ hasText: 'The bell' })
    await expect(bell.getByText('now', { exact: true })).toBeVisible()
    await effectsRun(page)
    await page.clock.runFor('05:10')

    await expect(bell.getByText('5 minutes ago')).toBeVisible()
  })

  test('reads a notification that was announced from the primary, and then with the bookmark of the response', async ({
    page,
    service,
    administrator,
    ann,
  }) => {
    await listenAs(page, ann, '/notifications')
    await expect(page.getByText(en.notifications.emptyTitle)).toBeVisible()
    await page.waitForLoadState('networkidle')

    const told = page.waitForRequest('**/api/list_notifications')
    await publish(service, administrator, 'The drawbridge is open')
    const later = page.waitForRequest('**/api/read_notification')
    await expect(page.getByRole('heading', { name: 'The drawbridge is open' })).toBeVisible()
    await page.getByRole('button', { name: en.notifications.markRead }).click()

    expect((await told).headers()[BOOKMARK]).toBe('first-primary')
    expect((await later).headers()[BOOKMARK]).toBeUndefined()
  })

  test('reads what it wrote from the primary after an earlier request took its bookmark', async ({
    page,
    service,
    administrator,
    ann,
  }) => {
    await publish(service, administrator, 'The drawbridge is open')
    await administrator.post('/api/admin/give_credits', { id: ann.id, amount: 250 })
    const release = await hold(page, '/api/get_credit_summary')
    const late = page.waitForResponse('**/api/get_credit_summary')
    await page.goto('/')
    await fillSignIn(page, ann.email, ann.password)
    const markRead = page.getByRole('button', { name: en.notifications.markRead })
    await expect(markRead).toBeVisible()
    const refetched = page.waitForRequest('**/api/list_notifications')
    await markRead.click()
    await expect(page.getByText(en.notifications.emptyUnreadTitle)).toBeVisible()

    release()
    await (await late).finished()
    await expect(page.getByText('250', { exact: true })).toBeVisible()
    const next = page.waitForRequest('**/api/list_notifications')
    const menu = page.getByRole('navigation', { name: en.nav.label })
    await menu.getByRole('link', { name: en.nav.notifications }).click()

    expect((await refetched).headers()[BOOKMARK]).toBeUndefined()
    expect((await next).headers()[BOOKMARK]).toBe('first-primary')
  })

  test('does so after an act on several rows, which a double click starts once', async ({
    openConsole,
    administrator,
    ann,
  }) => {
    for (const url of ['https://one.example/hook', 'https://two.example/hook'])
      await administrator.post('/api/admin/create_webhook', { url })
    const page = await openConsole('/console/webhooks')
    const asked = watchRequests(page)
    const all = page.getByLabel(en.lists.chooseAll)
    await expect(all).toBeVisible()
    const release = await hold(page, '/api/admin/list_users')
    const earlier = page.waitForRequest('**/api/admin/list_users')
    const menu = page.getByRole('list', { name: en.nav.console })
    await menu.getByRole('link', { name: en.console.users }).click()
    await earlier
    await menu.getByRole('link', { name: en.console.webhooks }).click()
    await all.check()
    await page.getByRole('button', { name: en.webhooks.switchOff, exact: true }).dblclick()
    await expect(page.getByText(en.webhooks.switchedOffMany(2))).toBeVisible()

    await menu.getByRole('link', { name: en.console.users }).click()
    release()
    await expect(page.getByText(ann.email)).toBeVisible()
    const next = page.waitForRequest('**/api/admin/list_notifications')
    await menu.getByRole('link', { name: en.console.notifications }).click()

    expect((await next).headers()[BOOKMARK]).toBe('first-primary')
    expect(asked.filter((path) => path === '/api/admin/update_webhook')).toHaveLength(2)
  })

  test('sends no request while nothing happens, in an hour', async ({ page, administrator }) => {
    await page.clock.install()
    await page.goto('/sign-in?next=/')
    await fillSignIn(page, administrator.email, administrator.password)
    await expect(page.getByRole('heading', { name: anyWords(en.home.title) })).toBeVisible()
    for (const path of ['/notifications', '/console']) {
      const stream = listening(page)
      await page.goto(path, { waitUntil: 'networkidle' })
      await stream
      await drawn(page)
      await page.waitForLoadState('networkidle')

      const asked = watchRequests(page)
      await page.clock.fastForward('01:00:00')
      // This request comes after any that the hour has caused.
      await page.evaluate("fetch('/api/health').then((answer) => answer.text())")

      expect(asked, path).toEqual(['/api/health'])
    }
  })

  test('shows who signs up and in, in the lists that are open', async ({ page, service, administrator }) => {
    await listenAs(page, administrator, '/console/users')
    const dora = await newcomer(service)
    await service.runJob('events')
    await expect(page.getByRole('row').filter({ hasText: dora.email })).toBeVisible()

    await page.getByRole('link', { name: en.console.audit, exact: true }).click()
    const entries = page.getByRole('row').filter({ hasText: dora.email })
    await expect(page.getByRole('table', { name: en.audit.title })).toBeVisible()
    const before = await entries.count()
    await dora.signIn()
    await service.runJob('events')

    await expect(entries).toHaveCount(before + 1)
    await expect(entries.first()).toContainText(en.audit.signedInWith(en.audit.ways.credential))
  })

  test('counts every message of an act on several, also those that left the list meanwhile', async ({
    page,
    service,
    administrator,
    ann,
  }) => {
    for (const content of ['Oil the drawbridge', 'Wind the clock'])
      await ann.post('/api/submit_feedback', { type: 'idea', content })
    await listenAs(page, administrator, '/console/feedback?status=new')
    await page.getByLabel(en.lists.chooseAll).check()
    const isHeld = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    let requests = 0
    await page.route('**/api/admin/update_feedback', async (route) => {
      if (++requests === 2) {
        isHeld.resolve()
        await held.promise
      }
      await route.fallback()
    })
    await page.getByRole('button', { name: en.inbox.resolve }).click()
    await isHeld.promise

    await ann.post('/api/submit_feedback', { type: 'idea', content: 'Sweep the yard' })
    await service.runJob('events')
    await expect(page.getByText('Sweep the yard').first()).toBeVisible()
    held.resolve()

    await expect(page.getByText(en.inbox.resolvedMany(2)).first()).toBeVisible()
  })

  test('keeps a message open that leaves the list while a reply is typed, and what another window saved', async ({
    page,
    service,
    administrator,
    ann,
  }) => {
    const submit = async (content: string) => {
      const { body } = await ann.post('/api/submit_feedback', { type: 'idea', content })
      service.clock.advance({ minutes: 1 })
      return body.id
    }
    await submit('Ring the bell')
    const id = await submit('Oil the drawbridge')
    await listenAs(page, administrator, `/console/feedback?status=new&open=${id}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(en.inbox.reply, { exact: true }).fill('The oil is ordered.')

    const change = { id, user_id: ann.id, status: 'in_progress', note: 'Ask the smith.' }
    await administrator.post('/api/admin/update_feedback', change)
    await submit('Paint the gate')
    await service.runJob('events')
    await expect(page.locator('[data-row]').filter({ hasText: 'Oil the drawbridge' })).toHaveCount(0)
    await page.keyboard.press('Control+Enter')
    await expect(dialog.getByRole('paragraph').filter({ hasText: /^Ring the bell$/ })).toBeVisible()

    const { body } = await administrator.post('/api/admin/list_feedbacks', { status: 'done' })
    expect(body.items).toEqual([expect.objectContaining({ content: 'Oil the drawbridge', note: 'Ask the smith.' })])
    const answer = await ann.post('/api/list_notifications')
    expect(answer.body.items[0].content).toBe('The oil is ordered.')
  })

  test('polls while the stream is not available', async ({ page, service, administrator, ann }) => {
    await page.clock.install()
    await page.route('**/api/live*', (route) => route.fulfill({ status: 503 }))
    const refused = listening(page)
    await page.goto('/')
    await fillSignIn(page, ann.email, ann.password)
    await refused
    await expect(page.getByText(en.notifications.emptyUnreadTitle)).toBeVisible()

    await publish(service, administrator, 'The drawbridge is open')
    // The page counts its minute from when it has seen the refusal, which can be later than we have.
    const again = listening(page).then(() => 'again')
    while ((await Promise.race([again, page.clock.fastForward('01:01')])) !== 'again') await page.evaluate('0')

    await expect(unread(page, 1)).toBeVisible()
  })
})
