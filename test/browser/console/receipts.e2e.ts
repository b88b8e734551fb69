import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { basic, type Registered, register } from '../../service/applications.ts'
import { type Person, stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { sidewaysWidths } from '../support/every-page.ts'
import { test } from '../support/test.ts'

const { people, receipts } = en

/** A back end of the shop, which reads the feed on when it is told to. */
function backEnd(service: Service, shop: Registered, name: string, outage = 0) {
  let after: string | undefined
  return async () => {
    const asked = { after, verifier: name.replaceAll(/\W/g, '-'), name, version: '0.4.0', outage }
    after = (await stranger(service).post('/api/oauth/revocations', asked, basic(shop))).body.next
  }
}

async function signOut(page: Page) {
  await page.getByRole('main').getByRole('button', { name: people.endSessions, exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: people.endSessions, exact: true }).click()
}

async function shopOf(service: Service, administrator: Person) {
  const shop = await register(administrator, { kind: 'service', name: 'Orders' })
  await service.runJob('events')
  return shop
}

test('what ends shows which back ends refuse it, live, and names the silent ones', async ({
  service,
  administrator,
  ann,
  openConsole,
}) => {
  const shop = await shopOf(service, administrator)
  const reading = [1, 2, 3].map((i) => backEnd(service, shop, `orders-${i}`))
  const silent = backEnd(service, shop, 'reports <b>', 3_600)
  for (const read of [...reading, silent]) for (let i = 0; i < 2; i++) await read()
  const page = await openConsole(`/console/users/${ann.id}`)

  await signOut(page)
  const notice = page.getByRole('status').filter({ hasText: /refused by/ })
  await expect(notice).toContainText('refused by 0 of 4 back ends')
  await service.runJob('events')
  for (const read of reading) for (let i = 0; i < 2; i++) await read()
  await expect(notice).toContainText(/refused by 3 of 4 back ends by \d\d:\d\d:\d\d\.\d\d/)
  await expect(notice).toContainText(receipts.waiting('reports <b>'))
  service.clock.advance({ seconds: 6 })
  await expect(notice).toContainText('reports <b> was last heard at')
  await assertAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await sidewaysWidths(page)).toEqual([])
  for (let i = 0; i < 2; i++) await silent()
  await expect(notice).toContainText('refused by 4 of 4 back ends')
  await notice.getByRole('button', { name: en.common.close }).click()

  await expect(notice).toHaveCount(0)
})

test('without a back end that follows, what ends shows no receipt', async ({ ann, openConsole }) => {
  const page = await openConsole(`/console/users/${ann.id}`)

  const [receipt] = await Promise.all([page.waitForResponse('**/api/admin/get_receipt'), signOut(page)])
  await receipt.finished()

  await expect(page.getByText(en.people.endedSessions)).toBeVisible()
  await expect(page.getByText(/refused by/)).toHaveCount(0)
})

test('an application shows the back ends that follow with its secret', async ({
  service,
  administrator,
  openConsole,
}) => {
  const shop = await shopOf(service, administrator)
  for (const name of ['orders-1', 'orders-2']) await backEnd(service, shop, name)()
  const page = await openConsole(`/console/applications/${shop.id}`)

  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: receipts.title }) })

  await expect(card.getByRole('listitem')).toHaveText([/orders-1.*0\.4\.0.*Up to date/s, /orders-2.*Up to date/s])
})
