import { expect, type Locator, type Page } from '@playwright/test'
import { v7 as newId } from 'uuid'
import type { DeliveryState } from '../../../src/database/schema/products/webhooks.ts'
import { HOUR_MILLISECONDS } from '../../../src/rules/time.ts'
import { en } from '../../../web/src/texts/en.ts'
import type { Person } from '../../service/people.ts'
import { startProduct } from '../../service/product.ts'
import type { Service } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { choose, drawn } from '../support/acts.ts'
import { test as base } from '../support/test.ts'

const { webhooks, lists, common } = en

const test = base.extend<{ id: string }>({
  /** An endpoint that is off. */
  id: async ({ administrator }, use) => use(await added(administrator, 'https://quiet.example.com/hook', false)),
})
test.use({ serviceOptions: { env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } } })

async function added(administrator: Person, url: string, enabled = true): Promise<string> {
  const { body } = await administrator.post('/api/admin/create_webhook', { url, enabled })
  return body.id
}

/** Deliveries whose three days of attempts are over, or which wait for the next attempt. */
async function insert({ platform }: Service, webhookId: string, count: number, state: DeliveryState = 'failed') {
  const now = platform.now()
  const rows = Array.from({ length: count }, (_, position) => ({
    ...{
      id: newId(),
      webhook_id: webhookId,
      event_id: newId(),
      position,
      type: 'user.created',
      user_id: null,
    },
    ...{ state, tries: 9, created_at: now + position, begun_at: now, body: null },
    ...{ next_attempt_at: now + 2 * HOUR_MILLISECONDS, last_attempt_at: now - 30 * HOUR_MILLISECONDS },
    ...{ status: 503, answer: 'The gate is shut.', error: 'not_accepted', milliseconds: 12 },
  }))
  await platform.meta.insertInto('webhook_delivery').values(rows).execute()
}

/** The page's clock is the machine's. */
const setClock = ({ clock }: Service) => clock.advance({ milliseconds: Date.now() - clock.now() })

const rows = (page: Page) => page.getByRole('table', { name: webhooks.deliveries }).getByRole('row')
const deliveries = (page: Page) => rows(page).filter({ has: page.getByRole('cell') })
const sendAgain = (place: Page | Locator) => place.getByRole('button', { name: webhooks.sendAgain, exact: true })
const sendAllAgain = (page: Page) => page.getByRole('button', { name: webhooks.sendAllAgain })

test.describe('the deliveries of an endpoint', () => {
  test('of a test offer nothing to send again, and say which status has none', async ({
    openConsole,
    administrator,
  }) => {
    await using product = await startProduct((_, response) => response.writeHead(503).end())
    const id = await added(administrator, product.url)
    await administrator.post('/api/admin/test_webhook', { id })
    const page = await openConsole(`/console/webhooks/${id}`)

    await expect(deliveries(page).filter({ hasText: webhooks.events['webhook.test'] })).toBeVisible()
    await drawn(page)
    await deliveries(page).getByRole('checkbox').check()
    await expect(page.getByText(lists.chosen(1))).toBeVisible()
    const offers = page.getByRole('button', { name: webhooks.sendAgain }).or(sendAllAgain(page))
    await expect(offers).toHaveCount(0)
    await choose(page, common.status, webhooks.states.delivered)
    await expect(page.getByText(webhooks.noneTitle)).toBeVisible()
    await expect(page.getByText(webhooks.nothingSent)).toHaveCount(0)
    await assertAccessible(page)
  })

  test('are not filtered by a status that does not exist', async ({ enterAs, administrator, id }) => {
    const page = await enterAs(administrator, `/console/webhooks/${id}?status=lost`)

    await expect(page.getByText(webhooks.nothingSent)).toBeVisible()
    await expect(page.getByText(webhooks.noneTitle)).toHaveCount(0)
  })

  test('that failed long ago are not of the last day', async ({ openConsole, service, id }) => {
    setClock(service)
    await insert(service, id, 1)
    const page = await openConsole(`/console/webhooks/${id}`)

    await page.getByLabel(webhooks.since).selectOption('day')
    await sendAllAgain(page).click()
    await expect(page.getByText(webhooks.sentAgain(0))).toBeVisible()
    await expect(page.getByText(webhooks.offText)).toBeVisible()
    await page.getByLabel(webhooks.since).selectOption('all')
    await sendAllAgain(page).click()
    await expect(page.getByText(webhooks.sentAgain(1))).toBeVisible()
    await expect(sendAllAgain(page)).toHaveCount(0)
    expect(webhooks.sentAgain(0)).toMatch(/^No /)
  })

  test('say when the next attempt is, and follow what is sent again, one or several', async ({
    openConsole,
    service,
    administrator,
  }) => {
    setClock(service)
    await using product = await startProduct()
    const id = await added(administrator, product.url)
    await administrator.post('/api/admin/create_notification', { title: 'One', content: 'C' })
    await service.runJob('events')
    await service.runJob('webhooks')
    const page = await openConsole('/console/webhooks')
    const published = deliveries(page).filter({ hasText: webhooks.events['notification.published'] })

    for (const act of [
      () => published.getByRole('button', { name: webhooks.sendAgain }).click(),
      async () => {
        await published.getByRole('checkbox').check()
        await sendAgain(page).click()
      },
    ]) {
      const delivered = service.platform.meta.updateTable('webhook_delivery').where('state', '=', 'delivered')
      await delivered.set({ state: 'failed' }).execute()
      // Each success brings waiting deliveries forward.
      await insert(service, id, 1, 'pending')
      await page.goto(`/console/webhooks/${id}`)
      await expect(page.getByText(webhooks.nextAttempt).first()).toBeVisible()
      await act()
      await expect(published.getByText(webhooks.states.pending)).toBeVisible()
      await service.runJob('webhooks')
      await expect(published.getByText(webhooks.states.delivered)).toBeVisible()
      await service.runJob('webhooks')
    }
  })

  test('stand in the order in which they were made, with that time', async ({
    openConsole,
    service,
    administrator,
    id,
  }) => {
    await insert(service, id, 2)
    const page = await openConsole(`/console/webhooks/${id}`)
    await expect(deliveries(page)).toHaveCount(2)

    const times = await page.evaluate<string[]>(
      `[...document.querySelectorAll('[aria-label="${webhooks.deliveries}"] tbody tr')]
        .map((row) => [...row.querySelectorAll('time')].at(-1).dateTime)`,
    )
    const { body } = await administrator.post('/api/admin/list_webhook_deliveries', { webhook_id: id })
    const made = body.items.map(({ created_at: at }: { created_at: number }) => new Date(at).toISOString())
    expect(times).toEqual(made)
  })

  test('that cannot be sent again say so in view, after a long list too', async ({ openConsole, service, id }) => {
    await insert(service, id, 20)
    const page = await openConsole(`/console/webhooks/${id}`)
    await page.route('**/api/admin/redeliver', (route) => route.abort())

    await deliveries(page).last().getByRole('button', { name: webhooks.sendAgain }).click()
    await expect(page.getByText(en.failures.NETWORK)).toBeInViewport({ ratio: 0.1 })
  })

  test('of another endpoint begin at page one, on a page whose heading takes the focus', async ({
    openConsole,
    service,
    administrator,
    id,
  }) => {
    const url = 'https://other.example.com/hook'
    await added(administrator, url, false)
    await insert(service, id, 41)
    const page = await openConsole(`/console/webhooks/${id}?page=3`)
    await expect(deliveries(page)).toHaveCount(1)

    await page.getByRole('link', { name: webhooks.back }).click()
    await page.getByRole('link', { name: url, exact: true }).click()
    await expect(page.getByRole('heading', { name: 'other.example.com', exact: true })).toBeFocused()
    await expect(page.getByText(webhooks.nothingSent)).toBeVisible()
    expect(new URL(page.url()).searchParams.get('page')).toBeNull()
    await page.goBack()
    await expect(page.getByRole('link', { name: url, exact: true })).toBeFocused()
  })

  test('are counted by what became of them, and the numbers lead to them', async ({ openConsole, service, id }) => {
    await insert(service, id, 3, 'pending')
    await insert(service, id, 2)
    const page = await openConsole(`/console/webhooks/${id}`)
    const press = (count: number) =>
      page
        .getByRole('definition')
        .getByRole('link', { name: String(count), exact: true })
        .click()

    await press(3)
    await expect(deliveries(page)).toHaveCount(3)
    await press(2)
    await expect(deliveries(page)).toHaveCount(2)
    await assertAccessible(page)
  })

  test('on a page that became empty are not reported as none', async ({ openConsole, service, id }) => {
    await insert(service, id, 21)
    const page = await openConsole(`/console/webhooks/${id}?status=failed&page=2`)

    await deliveries(page).getByRole('button', { name: webhooks.sendAgain }).click()
    await expect(page.getByText(lists.pageEmpty)).toBeVisible()
    await expect(page.getByRole('button', { name: common.previous })).toHaveCount(0)
    await page.getByRole('button', { name: lists.lastPage }).click()
    await expect(deliveries(page)).toHaveCount(20)
  })
})

test('a secret is replaced after a question', async ({ openConsole, administrator }) => {
  const url = 'https://loud.example.com/hook'
  const page = await openConsole(`/console/webhooks/${await added(administrator, url)}`)
  const rotate = page.getByRole('button', { name: `${webhooks.rotate}: ${url}` })
  const question = page.getByRole('dialog', { name: webhooks.rotateTitle })
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/admin/rotate_webhook_secret')) sent.push(request.url())
  })

  await rotate.click()
  await assertAccessible(page)
  await question.getByRole('button', { name: common.cancel }).click()
  await expect(question).toHaveCount(0)
  expect(sent).toHaveLength(0)
  await rotate.click()
  await question.getByRole('button', { name: webhooks.rotate }).click()
  await expect(page.getByText(webhooks.secretTitle)).toBeVisible()
  await expect(question).toHaveCount(0)
  await rotate.click()
  await expect(question.getByText(webhooks.rotateTwiceText)).toBeVisible()
  expect(sent).toHaveLength(1)
})
