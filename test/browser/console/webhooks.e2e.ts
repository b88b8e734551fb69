import { expect, type Locator, type Page } from '@playwright/test'
import { Webhook } from 'standardwebhooks'
import { en } from '../../../web/src/texts/en.ts'
import { type Got, startProduct } from '../../service/product.ts'
import { assertAccessible } from '../support/accessible.ts'
import { anyNumber, choose } from '../support/acts.ts'
import { sidewaysWidths } from '../support/every-page.ts'
import { test } from '../support/test.ts'

const longWord = 'drawbridge'.repeat(100)
const viewport = { width: 1280, height: 832 }

test.use({ serviceOptions: { env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } } })

/** Returns the secret that the page shows. */
async function add(page: Page, url: string): Promise<string> {
  await page.getByLabel(en.webhooks.url, { exact: true }).fill(url)
  await page.getByRole('button', { name: en.webhooks.addAction, exact: true }).click()
  await expect(page.getByRole('link', { name: url, exact: true })).toBeVisible()
  const shown = page.getByRole('status').filter({ hasText: en.webhooks.secretTitle }).locator('code')
  return (await shown.textContent()) ?? ''
}

/** The deliveries with these words, as a table or, on a phone, as cards. */
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

/** Leaves out the events of sign-ups, which are sent too. */
function published(got: readonly Got[]): readonly Got[] {
  return got.filter(({ body }) => JSON.parse(body).type === 'notification.published')
}

function titles(got: readonly Got[]): readonly string[] {
  return published(got).map(({ body }) => JSON.parse(body).data.title)
}

test.describe('the endpoints in the browser', () => {
  test('show a secret once, what a test was answered and what was sent, also if all of it is long', async ({
    openConsole,
    service,
    administrator,
  }) => {
    await using product = await startProduct((_, response) => response.end(longWord))
    const page = await openConsole('/console/webhooks', { viewport })
    const url = `${product.url}?${longWord}`

    const secret = await add(page, url)
    await page.getByRole('link', { name: url, exact: true }).click()
    await press(page, en.webhooks.test, url)
    await expect(page.getByText(anyNumber((milliseconds) => en.webhooks.taken(200, milliseconds)))).toBeVisible()
    const [tested] = product.got
    if (!tested) throw new Error('the endpoint got nothing')
    await administrator.post('/api/admin/create_notification', { title: 'One', content: longWord })
    await service.runJob('events')
    await service.runJob('webhooks')
    await page.reload()
    const delivery = sent(page, 'notification.published')
    await expect(delivery.getByText(en.webhooks.states.delivered, { exact: true })).toBeVisible()
    const answer = delivery.getByText(longWord, { exact: true })
    await expect(answer).toBeHidden()
    await delivery.getByText(`200 ${longWord.slice(0, 100)}`).click()
    await expect(answer).toBeVisible()
    await delivery.locator('summary').first().click()
    const shown = (await delivery.locator('code').first().textContent()) ?? ''
    await assertAccessible(page)
    await page.setViewportSize({ width: 320, height: 832 })
    await delivery.locator('summary').first().click()
    await expect(delivery.getByText(shown)).toBeVisible()
    expect(await sidewaysWidths(page)).toEqual([])
    await assertAccessible(page)

    expect(tested.headers['webhook-signature']).toBe(signature(tested, secret))
    expect(published(product.got).map(({ body }) => body)).toEqual([shown])
    expect(await page.content()).not.toContain(secret)
  })

  test('get every event or those chosen, which can be changed', async ({ openConsole, administrator }) => {
    const page = await openConsole('/console/webhooks', { viewport })
    const { events, types, someTypes, allTypes } = en.webhooks
    const url = 'https://shop.example.com/events'
    const endpoint = page.getByRole('row').filter({ hasText: url })
    const stored = async () => (await administrator.post('/api/admin/list_webhooks')).body.items[0].types

    await choose(page, types, someTypes)
    await page.getByLabel(en.webhooks.url, { exact: true }).fill(url)
    await page.getByRole('button', { name: en.webhooks.addAction, exact: true }).click()
    await expect(page.getByRole('alert').getByText(en.webhooks.typesMissing)).toBeVisible()
    await page.getByLabel(events['user.deleted'], { exact: true }).check()
    await page.getByLabel(events['user.created'], { exact: true }).check()
    await assertAccessible(page)
    await add(page, url)
    await expect(endpoint.getByText(`${events['user.created']}, ${events['user.deleted']}`)).toBeVisible()
    expect(await stored()).toEqual(['user.created', 'user.deleted'])
    await page.getByRole('link', { name: url, exact: true }).click()
    await press(page, en.webhooks.choose, url)
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByLabel(events['user.created'], { exact: true })).toBeChecked()
    await choose(dialog, types, allTypes)
    await choose(dialog, types, someTypes)
    await expect(dialog.getByRole('checkbox', { checked: true })).toHaveCount(2)
    await page.emulateMedia({ forcedColors: 'active' })
    for (const part of [dialog.getByRole('radiogroup'), page.getByText(en.webhooks.working)])
      await expect(part).toHaveCSS('border-top-width', '1px')
    await choose(dialog, types, allTypes)
    await dialog.getByRole('button', { name: en.webhooks.chooseAction, exact: true }).click()
    await expect(page.getByRole('definition').getByText(allTypes, { exact: true })).toBeVisible()
    expect(await stored()).toEqual([])
  })

  test('that fail are warned about until switched off by a button that keeps the focus', async ({
    openConsole,
    service,
    administrator,
  }) => {
    const urls = ['https://quiet.example.com/hook', 'https://mute.example.com/hook']
    for (const url of urls) await administrator.post('/api/admin/create_webhook', { url })
    await service.platform.meta.updateTable('webhook').set({ failing_since: service.clock.now() }).execute()
    const page = await openConsole('/console')
    const warning = (count: number) => page.getByText(en.webhooks.failingTitle(count))

    await expect(warning(2)).toBeVisible()
    await expect(page.getByText(en.webhooks.failingText)).toBeVisible()
    await page.goto('/console/webhooks')
    await expect(warning(2)).toBeVisible()
    for (const url of urls) {
      await page.goto('/console/webhooks')
      await page.getByRole('link', { name: url, exact: true }).click()
      await page.getByRole('button', { name: `${en.webhooks.switchOff}: ${url}` }).press('Enter')
      await expect(page.getByRole('button', { name: `${en.webhooks.switchOn}: ${url}` })).toBeFocused()
      await page.getByRole('link', { name: en.webhooks.back }).click()
      await expect(warning(1)).toHaveCount(url === urls[0] ? 1 : 0)
    }
  })

  test('say what failed, and send one or all of it again', async ({ openConsole, service, administrator }) => {
    // The page's clock is the machine's, and it asks for what has failed in the last day.
    service.clock.advance({ milliseconds: Date.now() - service.clock.now() })
    await using product = await startProduct((_, response) => response.writeHead(503).end('The gate is shut.'))
    const page = await openConsole('/console/webhooks', { viewport })
    await add(page, product.url)
    await page.getByRole('link', { name: product.url, exact: true }).click()
    await press(page, en.webhooks.test, product.url)
    const tested = page.getByRole('status').filter({ hasText: en.webhooks.tested })
    await expect(tested.getByText(en.webhooks.failures.not_accepted(503))).toBeVisible()
    for (const title of ['One', 'Two', 'Three'])
      await administrator.post('/api/admin/create_notification', { title, content: 'C' })
    await service.runJob('events')
    for (let quarters = 0; quarters < 4 * 80; quarters++) {
      await service.runJob('webhooks')
      service.clock.advance({ minutes: 15 })
    }
    await service.runJob('webhook-upkeep')
    product.got.length = 0
    product.behaviour.answer = (_, response) => response.end('Come in.')

    const later = await openConsole('/console', { viewport })
    await expect(later.getByText(en.webhooks.failingTitle(1))).toBeVisible()
    await later.getByRole('link', { name: en.webhooks.title, exact: true }).last().click()
    await expect(later.getByText(en.webhooks.failingTitle(1))).toBeVisible()
    await expect(later.getByText(en.webhooks.off, { exact: true })).toBeVisible()
    await later.getByRole('link', { name: product.url, exact: true }).click()
    await press(later, en.webhooks.switchOn, product.url)
    await expect(later.getByText(en.webhooks.working, { exact: true })).toBeVisible()
    await choose(later, en.common.status, en.webhooks.states.failed)
    const failed = sent(later, 'notification.published').filter({ hasText: en.webhooks.states.failed })
    const refused = `${en.webhooks.failures.not_accepted(503)} The gate is shut.`
    await expect(failed.filter({ hasText: refused })).toHaveCount(3)
    await assertAccessible(later)
    const again = { name: `${en.webhooks.sendAgain}: ${en.webhooks.events['notification.published']}` }
    await sendAgain(later, failed.filter({ hasText: '"title":"Two"' }).getByRole('button', again))
    await service.runJob('webhooks')
    expect(titles(product.got)).toEqual(['Two'])
    await later.reload()
    await later.getByLabel(en.webhooks.since).selectOption('day')
    const asked = later.waitForRequest('**/api/admin/redeliver')
    await sendAgain(later, later.getByRole('button', { name: en.webhooks.sendAllAgain }))
    expect((await asked).postDataJSON().failed_since).toBeGreaterThan(0)
    await expect(failed).toHaveCount(0)
    await service.runJob('webhooks')
    await later.reload()
    await choose(later, en.common.status, en.webhooks.states.delivered)
    await expect(sent(later, 'notification.published').filter({ hasText: '200 Come in.' })).toHaveCount(3)
    expect(titles(product.got).toSorted()).toEqual(['One', 'Three', 'Two'])
  })
})
