import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { v7 as newId } from 'uuid'
import type { DeliveryState } from '../../../src/database/schema/products/webhooks.ts'
import { HOUR_MILLISECONDS } from '../../../src/rules/time.ts'
import { en } from '../../../web/src/texts/en.ts'
import { type Person, people } from '../../service/people.ts'
import { startProduct } from '../../service/product.ts'
import { type Service, startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { choose, drawn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { enterAs } from '../support/enter-as.ts'

const { webhooks, lists, common } = en
const LOCAL = { env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } }
const quiet = 'https://quiet.example.com/hook'

async function added(administrator: Person, url: string, enabled = true): Promise<string> {
  const { body } = await administrator.post('/api/admin/create_webhook', { url, enabled })
  return body.id
}

/** Deliveries whose three days of attempts are over, or which wait for the next attempt. */
async function insert({ platform }: Service, webhookId: string, states: readonly DeliveryState[]) {
  const now = platform.now()
  const rows = states.map((state, position) => ({
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

function insertFailed(service: Service, webhookId: string, count: number) {
  return insert(
    service,
    webhookId,
    Array.from({ length: count }, () => 'failed'),
  )
}

const rows = (page: Page) => page.getByRole('table', { name: webhooks.deliveries }).getByRole('row')
const deliveries = (page: Page) => rows(page).filter({ has: page.getByRole('cell') })
const sendAllAgain = (page: Page) => page.getByRole('button', { name: webhooks.sendAllAgain })

describe('the deliveries of an endpoint', () => {
  it('of which only a test has failed offer nothing to send again, and say which status has none', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    await using product = await startProduct((_, response) => response.writeHead(503).end())
    const id = await added(administrator, product.url)
    await administrator.post('/api/admin/test_webhook', { id })
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, `/console/webhooks?open=${id}`)

    await deliveries(page).filter({ hasText: webhooks.events['webhook.test'] }).waitFor()
    await drawn(page)
    await deliveries(page).getByRole('checkbox').check()
    await page.getByText(lists.chosen(1)).waitFor()
    const offers = await sendAllAgain(page)
      .or(page.getByRole('button', { name: webhooks.sendAgain }))
      .count()
    await choose(page, webhooks.state, webhooks.states.delivered)
    await page.getByText(webhooks.noneTitle).waitFor()

    assert.equal(offers, 0)
    assert.equal(await page.getByText(webhooks.nothingSent).count(), 0)
    await assertAccessible(page)
    assert.deepEqual(browser.complaints, [])
  })

  it('are not filtered by a status that does not exist', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    const id = await added(administrator, quiet, false)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, `/console/webhooks?open=${id}&status=lost`)

    await page.getByText(webhooks.nothingSent).waitFor()

    assert.equal(await page.getByText(webhooks.noneTitle).count(), 0)
    assert.deepEqual(browser.complaints, [])
  })

  it('that failed long ago are not among those of the last day', async () => {
    await using service = await startService(LOCAL)
    service.clock.advance({ milliseconds: Date.now() - service.clock.now() })
    const { administrator } = await people(service)
    const id = await added(administrator, quiet, false)
    await insertFailed(service, id, 1)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, `/console/webhooks?open=${id}`)

    await page.getByLabel(webhooks.since).selectOption('day')
    await sendAllAgain(page).click()
    await page.getByText(webhooks.sentAgain(0)).waitFor()
    await page.getByText(webhooks.offText).waitFor()
    await page.getByLabel(webhooks.since).selectOption('all')
    await sendAllAgain(page).click()
    await page.getByText(webhooks.sentAgain(1)).waitFor()
    await sendAllAgain(page).waitFor({ state: 'detached' })

    assert.match(webhooks.sentAgain(0), /^No /)
    assert.deepEqual(browser.complaints, [])
  })

  it('say when the next attempt is, and follow what is sent again without a reload', async () => {
    await using service = await startService(LOCAL)
    service.clock.advance({ milliseconds: Date.now() - service.clock.now() })
    const { administrator } = await people(service)
    await using product = await startProduct()
    product.behaviour.answer = (_, response) => response.writeHead(503).end()
    const id = await added(administrator, product.url)
    await administrator.post('/api/admin/create_notification', { title: 'One', content: 'C' })
    await service.runJob('events')
    await service.runJob('webhooks')
    await service.platform.meta.updateTable('webhook_delivery').set({ state: 'failed' }).execute()
    await insert(service, id, ['pending'])
    product.behaviour.answer = (_, response) => response.end('thanks')
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, `/console/webhooks?open=${id}`)

    const published = deliveries(page).filter({ hasText: webhooks.events['notification.published'] })
    await page.getByText(webhooks.nextAttempt).waitFor()
    await published.getByRole('button', { name: webhooks.sendAgain }).click()
    await published.getByText(webhooks.states.pending).waitFor()
    await service.runJob('webhooks')
    await published.getByText(webhooks.states.delivered).waitFor()

    assert.deepEqual(browser.complaints, [])
  })

  it('stand at the time at which they were made, in that order, whenever they were attempted last', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    const id = await added(administrator, quiet, false)
    await insert(service, id, ['failed', 'failed'])
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, `/console/webhooks?open=${id}`)
    await deliveries(page).first().waitFor()

    const times = await page.evaluate<string[]>(
      `[...document.querySelectorAll('[aria-label="${webhooks.deliveries}"] tbody tr')]
        .map((row) => [...row.querySelectorAll('time')].at(-1).dateTime)`,
    )
    const { body } = await administrator.post('/api/admin/list_webhook_deliveries', { webhook_id: id })

    assert.deepEqual(
      times,
      body.items.map(({ created_at: at }: { created_at: number }) => new Date(at).toISOString()),
    )
    assert.deepEqual(browser.complaints, [])
  })

  it('that were selected and sent again are followed without a reload too', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    await using product = await startProduct()
    const id = await added(administrator, product.url)
    await administrator.post('/api/admin/create_notification', { title: 'One', content: 'C' })
    await service.runJob('events')
    await service.runJob('webhooks')
    await service.platform.meta.updateTable('webhook_delivery').set({ state: 'failed' }).execute()
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, `/console/webhooks?open=${id}`)

    const published = deliveries(page).filter({ hasText: webhooks.events['notification.published'] })
    await published.getByRole('checkbox').check()
    await page.getByRole('button', { name: webhooks.sendAgain, exact: true }).click()
    await published.getByText(webhooks.states.pending).waitFor()
    await service.runJob('webhooks')
    await published.getByText(webhooks.states.delivered).waitFor()

    assert.deepEqual(browser.complaints, [])
  })

  it('that cannot be sent again say so where it is seen, at the end of a long list too', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    const id = await added(administrator, quiet, false)
    await insertFailed(service, id, 20)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, `/console/webhooks?open=${id}`)
    await page.route('**/api/admin/redeliver', (route) => route.abort())

    await deliveries(page).last().getByRole('button', { name: webhooks.sendAgain }).click()
    const message = page.getByText(en.failures.NETWORK)
    await message.waitFor()

    const { y } = (await message.boundingBox()) ?? assert.fail('the message is shown')
    assert.ok(y >= 0 && y < (page.viewportSize()?.height ?? 0), `it is at ${y} px`)
  })

  it('of another endpoint begin at its first page, and the heading has the focus', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    const long = await added(administrator, quiet, false)
    await added(administrator, 'https://other.example.com/hook', false)
    await insertFailed(service, long, 41)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, `/console/webhooks?open=${long}&page=3`)
    await deliveries(page).waitFor()

    await page.getByRole('button', { name: 'https://other.example.com/hook', exact: true }).click()
    await page.getByText(webhooks.nothingSent).waitFor()

    assert.equal(new URL(page.url()).searchParams.get('page'), null)
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'other.example.com')
    assert.deepEqual(browser.complaints, [])
  })

  it('take the focus each time that their endpoint is pressed', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    const id = await added(administrator, quiet, false)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, `/console/webhooks?open=${id}`)
    const heading = page.getByRole('heading', { name: 'quiet.example.com' })
    await page.getByText(webhooks.nothingSent).waitFor()

    for (const _ of ['once', 'again']) {
      await page.getByRole('button', { name: quiet, exact: true }).click()
      await heading.and(page.locator(':focus')).waitFor()
    }

    assert.deepEqual(browser.complaints, [])
  })

  it('on a page that has become empty are not said to be none', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    const id = await added(administrator, quiet, false)
    await insertFailed(service, id, 21)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, `/console/webhooks?open=${id}&status=failed&page=2`)

    await deliveries(page).getByRole('button', { name: webhooks.sendAgain }).click()
    await page.getByText(lists.pageEmpty).waitFor()
    assert.equal(await page.getByRole('button', { name: common.previous }).count(), 0)
    await page.getByRole('button', { name: lists.lastPage }).click()
    await deliveries(page).nth(19).waitFor()

    assert.deepEqual(browser.complaints, [])
  })
})

describe('the secret of an endpoint', () => {
  it('is replaced after a question, and what was typed below stays', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    const id = await added(administrator, quiet)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, `/console/webhooks?open=${id}`)
    const rotate = page.getByRole('button', { name: `${webhooks.rotate}: ${quiet}` })
    const question = page.getByRole('dialog', { name: webhooks.rotateTitle })
    await page.getByLabel(webhooks.url, { exact: true }).fill('https://half')
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/api/admin/rotate_webhook_secret')) sent.push(request.url())
    })

    await rotate.click()
    await assertAccessible(page)
    await question.getByRole('button', { name: common.cancel }).click()
    await question.waitFor({ state: 'detached' })
    const sentByAsking = sent.length
    await rotate.click()
    await question.getByRole('button', { name: webhooks.rotate }).click()
    await page.getByText(webhooks.secretTitle).waitFor()
    await question.waitFor({ state: 'detached' })
    await rotate.click()
    await question.getByText(webhooks.rotateTwiceText).waitFor()

    assert.equal(sentByAsking, 0)
    assert.equal(sent.length, 1)
    assert.equal(await page.getByLabel(webhooks.url, { exact: true }).inputValue(), 'https://half')
    assert.deepEqual(browser.complaints, [])
  })
})
