import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { en } from '../../../web/src/texts/en.ts'
import { type Person, people } from '../../service/people.ts'
import { type Got, startProduct } from '../../service/product.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { anyNumber, choose, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { enterAs } from '../support/enter-as.ts'
import { sidewaysWidths } from '../support/every-page.ts'
import { styleOf } from '../support/style-of.ts'

const LOCAL = { env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } }
const longWord = 'drawbridge'.repeat(100)

async function open(page: Page, { email, password }: Person): Promise<void> {
  await page.context().clearCookies()
  await page.goto('/console/webhooks')
  await fillSignIn(page, email, password)
  await page.getByRole('heading', { name: en.webhooks.title, exact: true }).waitFor()
}

/** Returns the secret that the page shows. */
async function add(page: Page, url: string): Promise<string | null> {
  await page.getByLabel(en.webhooks.url, { exact: true }).fill(url)
  await page.getByRole('button', { name: en.webhooks.addAction, exact: true }).click()
  await page.getByRole('button', { name: url, exact: true }).waitFor()
  return page.getByRole('status').filter({ hasText: en.webhooks.secretTitle }).locator('code').textContent()
}

/** The deliveries that say something, as a table or, on a phone, as cards. */
function sent(page: Page, words: string) {
  const list = page.getByRole('table', { name: en.webhooks.deliveries })
  const cards = page.getByRole('list', { name: en.webhooks.deliveries })
  return list.getByRole('row').or(cards.getByRole('listitem')).filter({ hasText: words })
}

function press(page: Page, action: string, url: string) {
  return page.getByRole('button', { name: `${action}: ${url}` }).click()
}

async function sendAgain(page: Page, button: Locator): Promise<void> {
  await Promise.all([page.waitForResponse('**/api/admin/redeliver'), button.click()])
}

function signature({ headers, body }: Got, secret: string): string {
  const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000)
  return new Webhook(secret).sign(headers['webhook-id'] ?? '', sentAt, body)
}

/** Without the events of sign-ups, which are sent too. */
function published(got: readonly Got[]): readonly Got[] {
  return got.filter(({ body }) => JSON.parse(body).type === 'notification.published')
}

function titles(got: readonly Got[]): readonly string[] {
  return published(got).map(({ body }) => JSON.parse(body).data.title)
}

describe('the endpoints in the browser', () => {
  it('show a secret once, what a test was answered and what was sent, also if all of it is long', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    await using product = await startProduct((_, response) => response.end(longWord))
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ viewport: { width: 1280, height: 832 } })
    const url = `${product.url}?${longWord}`
    await open(page, administrator)

    const secret = (await add(page, url)) ?? assert.fail('no secret is shown')
    await page.getByRole('button', { name: url, exact: true }).click()
    await press(page, en.webhooks.test, url)
    await page.getByText(anyNumber((milliseconds) => en.webhooks.taken(200, milliseconds))).waitFor()
    const [tested = assert.fail('the endpoint got nothing')] = product.got
    await administrator.post('/api/admin/create_notification', { title: 'One', content: longWord })
    await service.runJob('events')
    await service.runJob('webhooks')
    await page.reload()
    const delivery = sent(page, 'notification.published')
    await delivery.getByText(en.webhooks.states.delivered, { exact: true }).waitFor()
    const answer = delivery.getByText(longWord, { exact: true })
    assert.equal(await answer.isVisible(), false)
    await delivery.getByText(`200 ${longWord.slice(0, 100)}`).click()
    await answer.waitFor()
    await delivery.locator('summary').first().click()
    const shown = (await delivery.locator('code').first().textContent()) ?? ''
    await assertAccessible(page)
    await page.setViewportSize({ width: 320, height: 832 })
    await delivery.locator('summary').first().click()
    await delivery.getByText(shown).waitFor()
    const pushedSideways = await sidewaysWidths(page)
    await assertAccessible(page)

    assert.equal(tested.headers['webhook-signature'], signature(tested, secret))
    assert.deepEqual(
      published(product.got).map(({ body }) => body),
      [shown],
    )
    assert.ok(!(await page.content()).includes(secret))
    assert.deepEqual(pushedSideways, [])
    assert.deepEqual(browser.complaints, [])
  })

  it('get every event or only those that are chosen, which can be changed', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ viewport: { width: 1280, height: 832 } })
    const { events, types, someTypes, allTypes } = en.webhooks
    const url = 'https://shop.example.com/events'
    const endpoint = page.getByRole('row').filter({ hasText: url })
    const stored = async () => (await administrator.post('/api/admin/list_webhooks')).body.items[0].types
    await open(page, administrator)

    await choose(page, types, someTypes)
    await page.getByLabel(en.webhooks.url, { exact: true }).fill(url)
    await page.getByRole('button', { name: en.webhooks.addAction, exact: true }).click()
    await page.getByRole('alert').getByText(en.webhooks.typesMissing).waitFor()
    await page.getByLabel(events['user.deleted'], { exact: true }).check()
    await page.getByLabel(events['user.created'], { exact: true }).check()
    await assertAccessible(page)
    await add(page, url)
    await endpoint.getByText(`${events['user.created']}, ${events['user.deleted']}`).waitFor()
    const atFirst = await stored()
    await page.getByRole('button', { name: url, exact: true }).click()
    await press(page, en.webhooks.choose, url)
    const dialog = page.getByRole('dialog')
    assert.equal(await dialog.getByLabel(events['user.created'], { exact: true }).isChecked(), true)
    await choose(dialog, types, allTypes)
    await choose(dialog, types, someTypes)
    const ticked = await dialog.getByRole('checkbox', { checked: true }).count()
    await page.emulateMedia({ forcedColors: 'active' })
    const edges = [dialog.getByRole('radiogroup'), endpoint.getByText(en.webhooks.working)]
    const widths = await Promise.all(edges.map((part) => styleOf(part, 'border-top-width')))
    await choose(dialog, types, allTypes)
    await dialog.getByRole('button', { name: en.webhooks.chooseAction, exact: true }).click()
    await endpoint.getByText(allTypes, { exact: true }).waitFor()

    assert.deepEqual(atFirst, ['user.created', 'user.deleted'])
    assert.deepEqual(await stored(), [])
    assert.equal(ticked, 2)
    assert.deepEqual(widths, ['1px', '1px'])
    assert.deepEqual(browser.complaints, [])
  })

  it('that fail are no longer warned about once they are switched off, and the button keeps the focus', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    const url = 'https://quiet.example.com/hook'
    const { body } = await administrator.post('/api/admin/create_webhook', { url })
    await service.platform.meta.updateTable('webhook').set({ failing_since: service.clock.now() }).execute()
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, `/console/webhooks?open=${body.id}`)
    const button = (action: string) => page.getByRole('button', { name: `${action}: ${url}` })
    await page.getByText(en.webhooks.failingTitle(1)).waitFor()

    await button(en.webhooks.switchOff).press('Enter')
    await page.getByText(en.webhooks.failingTitle(1)).waitFor({ state: 'detached' })

    await button(en.webhooks.switchOn).and(page.locator(':focus')).waitFor()
    assert.deepEqual(browser.complaints, [])
  })

  it('that fail are counted in the warning, on the overview too', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    for (const url of ['https://quiet.example.com/hook', 'https://mute.example.com/hook']) {
      await administrator.post('/api/admin/create_webhook', { url })
    }
    await service.platform.meta.updateTable('webhook').set({ failing_since: service.clock.now() }).execute()
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console')

    await page.getByText(en.webhooks.failingTitle(2)).waitFor()
    await page.getByText(en.webhooks.failingText).waitFor()
    await page.goto('/console/webhooks')
    await page.getByText(en.webhooks.failingTitle(2)).waitFor()

    assert.deepEqual(browser.complaints, [])
  })

  it('say what failed, and send one delivery again, or all that failed', async () => {
    await using service = await startService(LOCAL)
    // The page's clock is the machine's, and it asks for what has failed in the last day.
    service.clock.advance({ milliseconds: Date.now() - service.clock.now() })
    const { administrator } = await people(service)
    await using product = await startProduct((_, response) =>
      response.writeHead(503).end('The gate is shut.'),
    )
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ viewport: { width: 1280, height: 832 } })
    await open(page, administrator)
    await add(page, product.url)
    await page.getByRole('button', { name: product.url, exact: true }).click()
    await press(page, en.webhooks.test, product.url)
    await page
      .getByRole('status')
      .filter({ hasText: en.webhooks.tested })
      .getByText(en.webhooks.failures.not_accepted(503))
      .waitFor()
    for (const title of ['One', 'Two', 'Three'])
      await administrator.post('/api/admin/create_notification', { title, content: 'C' })
    await service.runJob('events')
    for (let hours = 0; hours < 80; hours++) {
      await service.runJob('webhooks')
      service.clock.advance({ hours: 1 })
    }
    product.got.length = 0
    product.behaviour.answer = (_, response) => response.end('Come in.')

    await open(page, administrator)
    await page.goto('/console')
    await page.getByText(en.webhooks.failingTitle(1)).waitFor()
    await page.getByRole('link', { name: en.webhooks.title, exact: true }).last().click()
    await page.getByText(en.webhooks.failingTitle(1)).waitFor()
    await page.getByText(en.webhooks.off, { exact: true }).waitFor()
    await page.getByRole('button', { name: product.url, exact: true }).click()
    await press(page, en.webhooks.switchOn, product.url)
    await page.getByText(en.webhooks.working, { exact: true }).waitFor()
    await choose(page, en.webhooks.state, en.webhooks.states.failed)
    const failed = sent(page, 'notification.published').filter({ hasText: en.webhooks.states.failed })
    await failed
      .filter({ hasText: `${en.webhooks.failures.not_accepted(503)} The gate is shut.` })
      .nth(2)
      .waitFor()
    await assertAccessible(page)
    const again = { name: `${en.webhooks.sendAgain}: ${en.webhooks.events['notification.published']}` }
    await sendAgain(page, failed.filter({ hasText: '"title":"Two"' }).getByRole('button', again))
    await service.runJob('webhooks')
    const first = titles(product.got)
    await page.reload()
    await page.getByLabel(en.webhooks.since).selectOption('day')
    const asked = page.waitForRequest('**/api/admin/redeliver')
    await sendAgain(page, page.getByRole('button', { name: en.webhooks.sendAllAgain }))
    const { failed_since: since } = (await asked).postDataJSON()
    await failed.first().waitFor({ state: 'detached' })
    await service.runJob('webhooks')
    await page.reload()
    await choose(page, en.webhooks.state, en.webhooks.states.delivered)
    await sent(page, 'notification.published').filter({ hasText: '200 Come in.' }).nth(2).waitFor()

    assert.ok(since > 0, 'the moment is sent')
    assert.deepEqual(first, ['Two'])
    assert.deepEqual(titles(product.got).toSorted(), ['One', 'Three', 'Two'])
    assert.deepEqual(browser.complaints, [])
  })
})
