import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { en } from '../../web/src/texts/en.ts'
import { type Person, people } from '../service/people.ts'
import { type Service, startService } from '../service/service.ts'
import { anyWords, drawn, effectsRun, fillSignIn } from './support/acts.ts'
import { openBrowserSession } from './support/browser-session.ts'
import { enterAs } from './support/enter-as.ts'

const BOOKMARK = 'x-db-meta-bookmark'

/** Paths that the page has requested. */
function watchRequests(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) asked.push(pathname)
  })
  return asked
}

async function publish(service: Service, administrator: Person, title: string) {
  await administrator.post('/api/admin/create_notification', { title, content: 'Come and see.' })
  await service.runJob('events')
}

const unread = (page: Page, count: number) =>
  page.getByRole('navigation', { name: en.nav.label }).getByText(en.nav.unread(count)).waitFor()

/** The stream begins with the unread count: a page that has it misses no later event. */
const listening = (page: Page) => page.waitForResponse('**/api/live')

describe('a page that is open', () => {
  it('calls something new for a minute only', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await administrator.post('/api/admin/create_notification', { title: 'The bell', content: 'It rings.' })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.clock.install({ time: service.clock.now() })
    await page.goto('/notifications')
    await fillSignIn(page, ann.email, ann.password)
    await page
      .getByRole('article')
      .filter({ hasText: 'The bell' })
      .getByText('now', { exact: true })
      .waitFor()
    await effectsRun(page)

    await page.clock.runFor('05:10')

    await page.getByRole('article').filter({ hasText: 'The bell' }).getByText('5 minutes ago').waitFor()
    assert.deepEqual(browser.complaints, [])
  })

  it('receives a new notification without a request, as do all windows through one stream', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const first = await browser.openPage()
    const stream = listening(first)
    await first.goto('/notifications')
    await fillSignIn(first, ann.email, ann.password)
    await stream
    const second = await first.context().newPage()
    const asked = watchRequests(second)
    await second.goto('/')
    await second.getByText(en.home.unreadNone).waitFor()
    await effectsRun(second)

    await publish(service, administrator, 'The drawbridge is open')
    await first.getByRole('heading', { name: 'The drawbridge is open' }).waitFor()
    await unread(first, 1)
    await unread(second, 1)
    assert.ok(!asked.includes('/api/live'), 'the second window shares the stream of the first')

    const taken = listening(second)
    await first.close()
    await taken
    await publish(service, administrator, 'The drawbridge is closed')
    await unread(second, 2)
    await second.getByText(en.notifications.arrived).first().waitFor()
    assert.deepEqual(browser.complaints, [])
  })

  it('reads a notification that was announced from the primary, and then with the bookmark of the response', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const stream = listening(page)
    await page.goto('/notifications')
    await fillSignIn(page, ann.email, ann.password)
    await stream
    await page.getByText(en.notifications.emptyTitle).waitFor()
    await page.waitForLoadState('networkidle')

    const told = page.waitForRequest('**/api/list_notifications')
    await publish(service, administrator, 'The drawbridge is open')
    const later = page.waitForRequest('**/api/read_notification')
    await page.getByRole('heading', { name: 'The drawbridge is open' }).waitFor()
    await page.getByRole('button', { name: en.notifications.markRead }).click()

    assert.equal((await told).headers()[BOOKMARK], 'first-primary')
    assert.equal((await later).headers()[BOOKMARK], undefined)
    assert.deepEqual(browser.complaints, [])
  })

  it('reads what it wrote from the primary after an earlier request has taken its bookmark back', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await publish(service, administrator, 'The drawbridge is open')
    await administrator.post('/api/admin/give_credits', { id: ann.id, amount: 250 })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const held = Promise.withResolvers<void>()
    await page.route('**/api/get_credit_summary', async (route) => {
      await held.promise
      await route.fallback()
    })
    const late = page.waitForResponse('**/api/get_credit_summary')
    await page.goto('/')
    await fillSignIn(page, ann.email, ann.password)
    const markRead = page.getByRole('button', { name: en.notifications.markRead })
    await markRead.waitFor()
    const refetched = page.waitForRequest('**/api/list_notifications')
    await markRead.click()
    await page.getByText(en.home.unreadNone).waitFor()

    held.resolve()
    await (await late).finished()
    await page.getByText('250', { exact: true }).waitFor()
    const next = page.waitForRequest('**/api/list_notifications')
    const menu = page.getByRole('navigation', { name: en.nav.label })
    await menu.getByRole('link', { name: en.nav.notifications }).click()

    assert.equal((await refetched).headers()[BOOKMARK], undefined)
    assert.equal((await next).headers()[BOOKMARK], 'first-primary')
    assert.deepEqual(browser.complaints, [])
  })

  it('does the same after an act on several rows, which a double click starts once', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    for (const url of ['https://one.example/hook', 'https://two.example/hook'])
      await administrator.post('/api/admin/create_webhook', { url })
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console/webhooks')
    const asked = watchRequests(page)
    const all = page.getByLabel(en.lists.chooseAll)
    await all.waitFor()
    const held = Promise.withResolvers<void>()
    await page.route('**/api/admin/list_users', async (route) => {
      await held.promise
      await route.fallback()
    })
    const earlier = page.waitForRequest('**/api/admin/list_users')
    const menu = page.getByRole('list', { name: en.nav.console })
    await menu.getByRole('link', { name: en.console.users }).click()
    await earlier
    await menu.getByRole('link', { name: en.console.webhooks }).click()
    await all.check()
    await page.getByRole('button', { name: en.webhooks.switchOff, exact: true }).dblclick()
    await page.getByText(en.webhooks.switchedOffMany(2)).waitFor()

    await menu.getByRole('link', { name: en.console.users }).click()
    held.resolve()
    await page.getByText(ann.email).waitFor()
    const next = page.waitForRequest('**/api/admin/list_notifications')
    await menu.getByRole('link', { name: en.console.notifications }).click()

    assert.equal((await next).headers()[BOOKMARK], 'first-primary')
    assert.equal(asked.filter((path) => path === '/api/admin/update_webhook').length, 2)
    assert.deepEqual(browser.complaints, [])
  })

  it('sends no request while nothing happens, in an hour', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.clock.install()
    await page.goto('/sign-in')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('heading', { name: anyWords(en.home.title) }).waitFor()
    for (const path of ['/notifications', '/console']) {
      const stream = listening(page)
      await page.goto(path, { waitUntil: 'networkidle' })
      await stream
      await drawn(page)
      await page.waitForLoadState('networkidle')

      const asked = watchRequests(page)
      await page.clock.fastForward('01:00:00')
      // Its request comes after any that the hour has caused.
      await page.evaluate("fetch('/api/health').then((answer) => answer.text())")

      assert.deepEqual(asked, ['/api/health'], path)
    }
  })

  it('of the administrator shows new feedback', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const stream = listening(page)
    await page.goto('/console/feedback')
    await fillSignIn(page, administrator.email, administrator.password)
    await stream
    await page.getByText(en.inbox.emptyTitle).waitFor()

    await ann.post('/api/submit_feedback', { type: 'idea', content: 'Oil the drawbridge' })
    await service.runJob('events')

    await page.getByText('Oil the drawbridge').first().waitFor()
  })

  it('counts every message of an act on several, also those that have left the list meanwhile', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    for (const content of ['Oil the drawbridge', 'Wind the clock'])
      await ann.post('/api/submit_feedback', { type: 'idea', content })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const stream = listening(page)
    await page.goto('/console/feedback?status=new')
    await fillSignIn(page, administrator.email, administrator.password)
    await stream
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
    await page.getByText('Sweep the yard').first().waitFor()
    held.resolve()

    await page.getByText(en.inbox.resolvedMany(2)).first().waitFor()
    assert.deepEqual(browser.complaints, [])
  })

  it('keeps a message open that leaves the list while a reply is typed, and what another window saved', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const submit = async (content: string) => {
      const { body } = await ann.post('/api/submit_feedback', { type: 'idea', content })
      service.clock.advance({ minutes: 1 })
      return body.id
    }
    await submit('Ring the bell')
    const id = await submit('Oil the drawbridge')
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const stream = listening(page)
    await page.goto(`/console/feedback?status=new&open=${id}`)
    await fillSignIn(page, administrator.email, administrator.password)
    await stream
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(en.inbox.reply, { exact: true }).fill('The oil is ordered.')

    const change = { id, user_id: ann.id, status: 'in_progress', note: 'Ask the smith.' }
    await administrator.post('/api/admin/update_feedback', change)
    await submit('Paint the gate')
    await service.runJob('events')
    await page.locator('[data-row]').filter({ hasText: 'Oil the drawbridge' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Control+Enter')
    await dialog
      .getByRole('paragraph')
      .filter({ hasText: /^Ring the bell$/ })
      .waitFor()

    const { body } = await administrator.post('/api/admin/list_feedbacks', { status: 'done' })
    assert.deepEqual(
      body.items.map(({ content, note }: { content: string; note: string }) => [content, note]),
      [['Oil the drawbridge', 'Ask the smith.']],
    )
    const answer = await ann.post('/api/list_notifications')
    assert.equal(answer.body.items[0].content, 'The oil is ordered.')
    assert.deepEqual(browser.complaints, [])
  })

  it('signs out when its session is ended elsewhere', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const stream = listening(page)
    await page.goto('/settings/sessions')
    await fillSignIn(page, ann.email, ann.password)
    await stream
    await page.getByText(en.sessions.current).waitFor()
    await page.waitForLoadState('networkidle')

    await ann.post('/api/auth/revoke-other-sessions')
    await service.runJob('events')

    await page.getByRole('heading', { name: en.signIn.title }).waitFor()
    assert.match(page.url(), /next=%2Fsettings%2Fsessions$/)
  })

  it('polls while the stream is not available', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.clock.install()
    await page.route('**/api/live', (route) => route.fulfill({ status: 503 }))
    const refused = listening(page)
    await page.goto('/')
    await fillSignIn(page, ann.email, ann.password)
    await refused
    await page.getByText(en.home.unreadNone).waitFor()

    await publish(service, administrator, 'The drawbridge is open')
    // The page counts its minute from when it has seen the refusal, which can be later than we have.
    const again = listening(page).then(() => 'again')
    while ((await Promise.race([again, page.clock.fastForward('01:01')])) !== 'again')
      await page.evaluate('0')

    await unread(page, 1)
  })
})
