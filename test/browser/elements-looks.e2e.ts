import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, type Page } from '@playwright/test'
import { freePort } from '../processes/free-port.ts'
import { join, organizationOf } from '../service/organizations.ts'
import { assertAccessible } from './support/accessible.ts'
import { enter, gatehouseFor, type Place } from './support/product.ts'
import { test } from './support/test.ts'

const ELEMENTS = `<gatehouse-notifications></gatehouse-notifications>
  <gatehouse-user><a slot="links" href="/billing">Billing</a></gatehouse-user>`

/** Pages as products have them: each with a header of 56 pixels that ends with the elements. */
const PAGES = {
  plain: { attributes: 'lang="en"', css: 'body { font-family: Georgia, serif }' },
  resets: {
    attributes: 'lang="en"',
    css: `* { margin: 0; padding: 0; border: 0; box-sizing: border-box; line-height: 1; letter-spacing: 3px; text-transform: uppercase; font-style: italic }
      a, button { color: red; text-decoration: underline; display: inline } svg { display: block } h3 { font-size: 40px }`,
  },
  dark: {
    attributes: 'lang="en"',
    css: ':root { color-scheme: dark; accent-color: #ff7a59 } body { background: #14161a; color: #e8eaed }',
  },
  'right-to-left': {
    attributes: 'lang="de" dir="rtl"',
    css: ':root { color-scheme: dark } body { background: #101014; color: #eee }',
  },
  clipped: { attributes: 'lang="en"', css: 'header { overflow: hidden }' },
} as const

const HEADER = `body { margin: 0; font-family: system-ui } nav { flex: 1 }
  header, .row { display: flex; align-items: center; gap: 8px; min-height: 56px; padding: 0 16px; border-bottom: 1px solid #8884; text-transform: uppercase; letter-spacing: .1em; font-weight: 700 }
  main { padding: 16px }`

async function productWith(page: keyof typeof PAGES) {
  const port = await freePort()
  const place = await gatehouseFor(port)
  const { attributes, css } = PAGES[page]
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    const script = url === '/without' ? '' : `<script type="module" src="${place.gatehouse.url}/elements.js"></script>`
    response.end(`<!doctype html><html ${attributes}><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>Product</title><style>${HEADER}${css} gatehouse-user:not(:defined) > * { display: none }</style>${script}
      <header><nav><b>Corner Shop</b></nav>${ELEMENTS}</header>
      <main><div class="row"><b>Boats</b><gatehouse-organization></gatehouse-organization></div><h1>Orders</h1><p>Everything that was ordered today.</p></main><gatehouse-feedback></gatehouse-feedback></html>`)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...{ place, url: `http://127.0.0.1:${port}/` },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await place.gatehouse[Symbol.asyncDispose]()
      await place.service[Symbol.asyncDispose]()
    },
  }
}

async function publish({ administrator, service }: Place, count: number): Promise<void> {
  for (let i = 1; i <= count; i++) {
    const content = i % 3 === 0 ? 'Your order has left the house. Follow it at https://shop.example/orders/7.' : 'Done.'
    const sent = { title: `Order ${i} is on its way`, content, link: i % 2 === 0 ? '/orders' : null }
    const { status } = await administrator.post('/api/admin/create_notification', sent)
    expect(status).toBe(200)
  }
  await service.runJob('events')
}

const LONGEST = 'W'.repeat(100)

/** Ann acts in one whose name is as long as a name can be, and is a member of another. */
async function inTwo({ service, ann, administrator }: Place): Promise<void> {
  await join(service, await organizationOf(administrator, { name: 'Rowers' }), ann)
  const { id } = await organizationOf(administrator, { name: LONGEST })
  await join(service, { id }, ann, 'owner', 'member')
  const { status } = await ann.post('/api/auth/organization/set-active', { organizationId: id })
  expect(status).toBe(200)
}

/** Where everything of the page is that is not an element of ours. */
const placesOf = (page: Page) =>
  page.evaluate<string>(
    `JSON.stringify([...document.querySelectorAll('header, b, main, h1, p')].map((one) => one.getBoundingClientRect()))`,
  )

interface Shown {
  readonly left: number
  readonly right: number
  readonly bottom: number
  readonly isOnTop: boolean
  readonly letterSpacing: string
  readonly textTransform: string
  readonly fontStyle: string
}

const SHOWN = `(() => {
  const root = document.querySelector('gatehouse-notifications').shadowRoot
  const panel = root.querySelector('[part=panel]')
  const { left, right, top, bottom } = panel.getBoundingClientRect()
  const isOnTop = panel.contains(root.elementFromPoint((left + right) / 2, top + 90))
  const { letterSpacing, textTransform, fontStyle } = getComputedStyle(panel)
  return { left, right, bottom, isOnTop, letterSpacing, textTransform, fontStyle }
})()`

const picture = (page: Page, name: string) => page.screenshot({ path: test.info().outputPath(`${name}.png`) })

for (const name of Object.keys(PAGES) as (keyof typeof PAGES)[]) {
  for (const width of [1024, 320]) {
    test(`on a page “${name}” ${width} pixels wide the elements move nothing, take nothing over and are accessible`, async ({
      page,
    }) => {
      await using product = await productWith(name)
      await publish(product.place, 11)
      await inTwo(product.place)
      await page.setViewportSize({ width, height: 720 })
      await page.goto(`${product.url}without`)
      const before = await placesOf(page)
      await enter(page, product.place.ann, product.place.gatehouse.url)

      await page.goto(product.url)
      const bell = page.locator('gatehouse-notifications [part=bell]')
      await expect(page.locator('gatehouse-notifications [part=count]')).toHaveText('12')
      await expect(page.locator('gatehouse-user [part=picture]')).toBeVisible()
      expect(await placesOf(page)).toBe(before)
      await bell.click()
      await expect(page.locator('[part=item]')).toHaveCount(12)
      expect(await placesOf(page)).toBe(before)
      const { left, right, bottom, isOnTop, letterSpacing, textTransform, fontStyle } =
        await page.evaluate<Shown>(SHOWN)
      expect([left >= 0, right <= width, bottom <= 720, isOnTop]).toEqual([true, true, true, true])
      expect([letterSpacing, textTransform, fontStyle]).toEqual(['normal', 'none', 'normal'])
      await picture(page, 'bell')
      await assertAccessible(page)
      await page.keyboard.press('Escape')

      await page.locator('gatehouse-user [part=button]').click()
      await expect(page.getByRole('link', { name: 'Billing' })).toBeVisible()
      await picture(page, 'user')
      await assertAccessible(page)
      await page.keyboard.press('Escape')
      const places = page.getByRole('button', { name: `Organisation: ${LONGEST}` })
      await places.click()
      await expect(page.getByRole('button', { name: 'Rowers' })).toBeVisible()
      expect(await placesOf(page)).toBe(before)
      await picture(page, 'organization')
      await assertAccessible(page)
      await page.keyboard.press('Escape')
      await expect(places).toBeFocused()
      await page.locator('gatehouse-feedback [part=button]').click()
      await expect(page.locator('textarea')).toBeFocused()
      await picture(page, 'feedback')
      await assertAccessible(page)
    })
  }
}
