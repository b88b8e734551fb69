import { once } from 'node:events'
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect } from '@playwright/test'
import { freePort } from '../processes/free-port.ts'
import { type Listening, listening } from '../processes/listening.ts'
import { grantFor } from '../service/grants.ts'
import { type Person, people } from '../service/people.ts'
import { type Service, startService } from '../service/service.ts'
import { assertAccessible } from './support/accessible.ts'
import { test as base } from './support/test.ts'

const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'

interface Product {
  readonly gatehouse: Listening
  readonly made: Service
  readonly ann: Person
  readonly administrator: Person
  /** The port of another origin of the same site; under the name `localhost` it is another site. */
  readonly port: number
  /** Sets the body of its one page, and the script that it runs. */
  show(body: string, script?: string): void
}

const test = base.extend<{ product: Product }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures a fixture needs from its parameter.
  product: async ({}, use) => {
    const port = await freePort()
    await using made = await startService({ env: { TRUSTED_ORIGINS: `http://127.0.0.1:${port}` } })
    await using gatehouse = await listening(made)
    const { ann, administrator } = await people({ ...made, request: gatehouse.request })
    let shown = { body: '', script: '' }
    // The strictest policy possible for a page that uses them.
    const policy = `default-src 'none'; script-src 'self' ${gatehouse.url}; connect-src ${gatehouse.url} http://127.0.0.1:1; base-uri 'none'`
    const server = createServer(({ url = '' }, response) => {
      if (url.startsWith(AROUND)) {
        response.setHeader('content-type', 'text/html')
        response.end(framed(decodeURIComponent(url.slice(AROUND.length))))
        return
      }
      response.setHeader('content-security-policy', policy)
      const isScript = url === '/page.js'
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
      const scripts = `<script src="/page.js"></script><script type="module" src="${gatehouse.url}/elements.js"></script>`
      const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Product</title>${scripts}</head>
        <body><main><h1>Product</h1>${shown.body}</main></body></html>`
      response.end(isScript ? shown.script : page)
    }).listen(port)
    await once(server, 'listening')
    await use({
      ...{ gatehouse, made, ann, administrator, port },
      show: (body, script = '') => {
        shown = { body, script }
      },
    })
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  },
})

/** A hostile page, whose own policy allows everything. */
const AROUND = '/around?'
const framed = (source: string) =>
  `<!doctype html><iframe src="${source}" sandbox="allow-scripts allow-same-origin"></iframe><iframe src="${source}"></iframe>`

const ALL = `<gatehouse-user><a slot="links" href="/billing">Billing</a></gatehouse-user>
  <gatehouse-notifications></gatehouse-notifications><gatehouse-feedback version="2.1"></gatehouse-feedback>`

async function signIn({ gatehouse, ann }: Product, page: import('@playwright/test').Page): Promise<void> {
  const url = new URL(gatehouse.url)
  const cookies = [...ann.cookies].map(([name, value]) => ({ name, value, domain: url.hostname, path: '/' }))
  await page.context().addCookies(cookies)
}

const publish = async ({ administrator, made }: Product, title: string, extra: object = {}) => {
  const sent = { title, content: `About ${title}`, ...extra }
  const { status } = await administrator.post('/api/admin/create_notification', sent)
  expect(status).toBe(200)
  await made.runJob('events')
}

test('the script is small, loads the rest under its own path once, and all are at most 25 KB, for pages of any origin', async ({
  product: { gatehouse },
}) => {
  const first = await gatehouse.request('/elements.js')
  const script = await first.text()
  const [, version = ''] = /\?v=([\w-]{22})/.exec(script) ?? []
  const rest = await gatehouse.request(`/elements.js?v=${version}`)
  const ofAnotherVersion = await gatehouse.request('/elements.js?v=another')
  const again = await gatehouse.request('/elements.js', {
    headers: { 'if-none-match': first.headers.get('etag') ?? '' },
  })

  const elements = await rest.text()
  const [, ofSwitcher = ''] = /\?(organization=[\w-]{22})/.exec(elements) ?? []
  const switcher = await gatehouse.request(`/elements.js?${ofSwitcher}`)
  const parts = [script, elements, await switcher.text()].map((text) => gzipSync(text).byteLength)
  const [small = 0, large = 0] = parts
  expect(small).toBeLessThan(1_000)
  expect(large).toBeLessThan(24_000)
  expect(parts.reduce((sum, part) => sum + part)).toBeLessThan(25_000)
  expect(await ofAnotherVersion.text()).toBe(await (await gatehouse.request(`/elements.js?v=${version}`)).text())
  for (const { headers } of [first, rest, switcher]) expect(headers.get('access-control-allow-origin')).toBe('*')
  expect([first, rest, switcher, ofAnotherVersion].map(({ headers }) => headers.get('cache-control'))).toEqual([
    'no-cache',
    'public, max-age=31536000, immutable',
    'public, max-age=31536000, immutable',
    'no-cache',
  ])
  expect([first.status, again.status]).toEqual([200, 304])
})

test('on a page of the same site: user, bell and feedback, by the cookie', async ({ product, page }) => {
  await publish(product, 'Before', { link: '/news' })
  product.show(ALL, "addEventListener('gatehouse:signed-in', () => { document.title = 'In' }, { once: true })")
  await signIn(product, page)

  await page.goto(`http://127.0.0.1:${product.port}/`)
  await expect(page).toHaveTitle('In')
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  await expect(page.getByRole('heading', { name: 'Before' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Before' })).toHaveAttribute(
    'href',
    `http://127.0.0.1:${product.port}/news`,
  )
  await page.getByRole('button', { name: 'Actions for “Before”' }).click()
  await expect(page.getByRole('link', { name: 'Open' })).toBeVisible()
  await assertAccessible(page)
  await publish(product, 'Live')
  await expect(page.getByRole('heading', { name: 'Live' })).toBeVisible()
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Notifications', exact: true })).toBeFocused()

  await page.getByRole('button', { name: /Your account/ }).click()
  await expect(page.getByText(product.ann.email).first()).toBeVisible()
  await expect(page.getByRole('link', { name: 'Billing' })).toBeVisible()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
})

test('a click on a row opens its link or all of its text and marks it as read; a kind of letters ends from its menu', async ({
  product,
  page,
}) => {
  const long = `${'Words of some length. '.repeat(20)}More at https://shop.example/orders/7.`
  await publish(product, 'With a link', { link: '/orders' })
  await publish(product, 'Long', { content: long, type: 'orders' })
  product.show(ALL)
  await signIn(product, page)
  await page.goto(`http://127.0.0.1:${product.port}/`)
  await page.getByRole('button', { name: 'Notifications, 2 unread' }).click()
  await page.getByRole('button', { name: 'Unread', exact: true }).click()
  await expect(page.locator('[part=item]')).toHaveCount(2)

  const below = { position: { x: 120, y: 50 } }
  await page.locator('[part=item]', { hasText: 'Words of' }).click(below)
  await expect(page.locator('[part=count]')).toHaveText('1')
  await expect(page.getByRole('button', { name: 'Long', exact: true })).toHaveAttribute('aria-expanded', 'true')
  await expect(page.getByRole('link', { name: 'https://shop.example/orders/7' })).toBeVisible()
  await page.getByRole('button', { name: 'Actions for “Long”' }).click()
  await page.getByRole('button', { name: 'No more letters like this' }).click()
  await expect(page.getByRole('status')).toContainText('no more letters of this kind')
  const { body } = await product.ann.post('/api/get_notification_preferences')
  expect(body.items).toContainEqual({ type: 'orders', email: 'off' })
  await assertAccessible(page)
  await page.locator('[part=item]', { hasText: 'About With a link' }).click(below)

  await expect(page).toHaveURL(`http://127.0.0.1:${product.port}/orders`)
  await expect(page.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Notifications', exact: true }).click()
  await page.getByRole('button', { name: 'Unread', exact: true }).click()
  await expect(page.getByText('You have read everything.')).toBeVisible()
})

test('feedback keeps its draft, sends its page and version, and shows the answer', async ({ product, page }) => {
  product.show(ALL)
  await signIn(product, page)
  const address = `http://127.0.0.1:${product.port}/prices?a=1`

  await page.goto(address)
  await page.getByRole('button', { name: 'Feedback' }).click()
  await page.getByLabel('Your message').fill('Cheaper')
  await page.reload()
  await page.getByRole('button', { name: 'Feedback' }).click()
  await expect(page.getByLabel('Your message')).toHaveValue('Cheaper')
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Thank you.')).toBeVisible()
  const { body } = await product.administrator.post('/api/admin/list_feedbacks')
  const [{ id, user_id, context }] = body.items
  await product.administrator.post('/api/admin/reply_to_feedback', { id, user_id, text: HOSTILE })
  await page.getByRole('button', { name: 'Your feedback' }).click()

  await expect(page.getByText(HOSTILE)).toBeVisible()
  expect(context).toEqual({ page: address, version: '2.1' })
})

test('a user who writes feedback is interrupted by no notification, and loses nothing while it is sent', async ({
  product,
  page,
}) => {
  product.show(ALL)
  await signIn(product, page)
  await page.goto(`http://127.0.0.1:${product.port}/`)
  const message = page.getByLabel('Your message')
  await page.getByRole('button', { name: 'Feedback' }).click()
  await message.fill('Cheper')
  const field = await message.elementHandle()
  for (let back = 0; back < 3; back++) await message.press('ArrowLeft')
  await publish(product, 'Live')
  await expect(page.locator('[part=count]')).toHaveText('1')
  await message.press('a')
  await expect(message).toHaveValue('Cheaper')
  expect(await field?.evaluate(({ isConnected }) => isConnected)).toBe(true)

  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/api/submit_feedback', async (route) => {
    const response = await route.fetch()
    await mayAnswer
    await route.fulfill({ response })
  })
  await page.getByRole('button', { name: 'Send' }).click()
  await message.press('End')
  await message.press('!')
  answer()
  await expect(page.getByText('Thank you.')).toBeVisible()
  await page.getByRole('button', { name: 'Write feedback' }).click()

  await expect(message).toHaveValue('Cheaper!')
})

test('feedback whose response was lost arrives once, also if it is sent again from another page', async ({
  product,
  page,
}) => {
  product.show(ALL)
  await signIn(product, page)
  const address = `http://127.0.0.1:${product.port}/prices`
  await page.goto(address)
  await page.getByRole('button', { name: 'Feedback' }).click()
  await page.getByLabel('Your message').fill('Cheaper')
  await page.route('**/api/submit_feedback', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('alert').first()).toHaveText('The server cannot be reached. Try again later.')
  await page.unrouteAll()

  await page.goto(`http://127.0.0.1:${product.port}/elsewhere`)
  await page.getByRole('button', { name: 'Feedback' }).click()
  await page.getByRole('button', { name: 'Send' }).click()

  await expect(page.getByText('Thank you.')).toBeVisible()
  const { body } = await product.administrator.post('/api/admin/list_feedbacks')
  expect([body.total, body.items[0].context.page]).toEqual([1, address])
})

test('a draft is shown to nobody else who signs in at the same browser', async ({ product, page }) => {
  product.show(ALL)
  await signIn(product, page)
  const address = `http://127.0.0.1:${product.port}/`
  const message = page.getByLabel('Your message')
  const open = async () => {
    await page.goto(address)
    await page.getByRole('button', { name: 'Feedback' }).click()
  }
  await open()
  await message.fill('My boss must not see this')
  await signIn({ ...product, ann: product.administrator }, page)
  await open()
  await expect(message).toHaveValue('')
  await signIn(product, page)
  await open()

  await expect(message).toHaveValue('My boss must not see this')
})

test('the list of notifications stays where it was scrolled to, and has no page twice after a double click', async ({
  product,
  page,
}) => {
  for (let i = 1; i <= 60; i++) await publish(product, `News ${i}`)
  product.show(ALL)
  await signIn(product, page)
  await page.goto(`http://127.0.0.1:${product.port}/`)
  await page.getByRole('button', { name: 'Notifications, 60 unread' }).click()
  const titles = page.locator('[part=item] h3')
  await expect(titles).toHaveCount(20)
  await page.locator('[part=more]').dblclick()
  await expect(titles).toHaveCount(40)
  await page.locator('[part=more]').click()
  await expect(titles).toHaveCount(60)

  const scrolled = () => page.locator('[part=list]').evaluate(({ scrollTop }) => Math.round(scrollTop))
  await page.getByRole('heading', { name: 'News 30' }).scrollIntoViewIfNeeded()
  const before = await scrolled()
  await page.getByRole('button', { name: 'Actions for “News 30”' }).click()
  await page.getByRole('button', { name: 'Mark as read' }).click()
  await expect(page.locator('[part=count]')).toHaveText('59')

  expect(before).toBeGreaterThan(100)
  expect(Math.abs((await scrolled()) - before)).toBeLessThan(100)
  expect(new Set(await titles.allTextContents()).size).toBe(60)
})

test('a hostile page and hostile texts run nothing, and an unreachable server is reported', async ({
  product,
  page,
}) => {
  await publish(product, HOSTILE, { content: `${'x'.repeat(5_000)}${HOSTILE}` })
  const attributes = `lang='"><script>hacked=1</script>' theme="&quot;" version="${'v'.repeat(5_000)}"`
  const script = `JSON.parse = () => { throw new Error('mine') }
    window.fetch = () => { throw new Error('mine') }`
  product.show(
    `<gatehouse-notifications ${attributes}></gatehouse-notifications>
     <gatehouse-user server="javascript:alert(1)"></gatehouse-user>
     <gatehouse-feedback server="http://127.0.0.1:1"></gatehouse-feedback>`,
    `addEventListener('load', () => { ${script} })`,
  )
  await signIn(product, page)

  await page.goto(`http://127.0.0.1:${product.port}/`)
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()

  await expect(page.getByRole('heading', { name: HOSTILE })).toBeVisible()
  await expect(page.getByRole('button', { name: /Your account/ })).toBeVisible()
  expect(await page.evaluate('window.hacked')).toBe(undefined)
})

const LOOK = `gatehouse-notifications { --gatehouse-accent: rgb(1, 2, 3); --gatehouse-radius: 0 }
  gatehouse-notifications::part(bell) { background: rgb(4, 5, 6) }
  body { background: rgb(255, 255, 255) }`

test('a theme, three properties and parts give it the look of the product; forced colours win', async ({
  product,
  page,
}) => {
  await publish(product, 'Hello')
  product.show(
    '<gatehouse-notifications></gatehouse-notifications>',
    `const look = new CSSStyleSheet(); look.replaceSync(\`${LOOK}\`); document.adoptedStyleSheets = [look]`,
  )
  await signIn(product, page)
  const element = page.locator('gatehouse-notifications')
  const styleOf = (part: string, property: string) =>
    page.evaluate<string>(
      `getComputedStyle(document.querySelector('gatehouse-notifications').shadowRoot.querySelector('${part}')).getPropertyValue('${property}')`,
    )

  await page.goto(`http://127.0.0.1:${product.port}/`)
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  await expect(page.getByRole('heading', { name: 'Hello' })).toBeVisible()
  expect(await styleOf('[part=bell]', 'background-color')).toBe('rgb(4, 5, 6)')
  expect(await styleOf('.unread .dot', 'background-color')).toBe('rgb(1, 2, 3)')
  expect(await styleOf('[part=panel]', 'border-radius')).toBe('0px')
  for (const [theme, scheme, background] of [
    ['auto', 'light', WHITE],
    ['auto', 'dark', DARK],
    ['light', 'dark', WHITE],
    ['dark', 'light', DARK],
    ['"><b>', 'light', WHITE],
  ] as const) {
    await page.evaluate(`document.body.style.colorScheme = '${scheme}'`)
    await element.evaluate((one, value) => one.setAttribute('theme', value), theme)
    expect(await styleOf('[part=panel]', 'background-color'), `${theme}, ${scheme}`).toBe(background)
    await assertAccessible(page)
  }
  await page.emulateMedia({ forcedColors: 'active' })
  expect(await styleOf('[part=bell]', 'background-color')).not.toBe('rgb(4, 5, 6)')
})

const WHITE = 'rgb(255, 255, 255)'
const DARK = 'rgb(27, 29, 32)'

test('right to left and in German, by keyboard alone', async ({ product, page }) => {
  product.show(`<div dir="rtl" lang="de">${ALL}</div>`)
  await signIn(product, page)

  await page.goto(`http://127.0.0.1:${product.port}/`)
  const bell = page.getByRole('button', { name: 'Mitteilungen' })
  await bell.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Noch keine Mitteilungen.')).toBeVisible()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await expect(bell).toBeFocused()
})

// Each is what a library or a page has done to its globals before, or after, the elements came.
const REDEFINED = {
  before: `Array.prototype.extra = Object.prototype.extra = function () { return 'mine' }
    Array.prototype.toJSON = function () { return 'mine' }
    const { fetch: ownFetch, Promise: OwnPromise } = window
    window.fetch = (...sent) => ownFetch(...sent)
    window.Promise = class extends OwnPromise {}
    const define = customElements.define
    customElements.define = function (...sent) { return define.apply(this, sent) }`,
  after: `const mine = () => { throw new Error('mine') }
    Object.assign(JSON, { parse: mine, stringify: mine })
    Object.assign(window, { fetch: mine, Promise: undefined, JSON: undefined, setImmediate: mine })
    for (const name of ['at', 'toJSON', 'includes', 'from']) Array.prototype[name] = mine
    Object.defineProperty(window, 'customElements', { value: undefined })`,
}

test('a page that redefines what all scripts share keeps its elements, its draft and its own scripts', async ({
  product,
  page,
}) => {
  await publish(product, 'Hello')
  const thrown: string[] = []
  page.on('pageerror', (error) => thrown.push(error.message))
  product.show(ALL, `${REDEFINED.before}; addEventListener('load', () => { ${REDEFINED.after} })`)
  await signIn(product, page)

  await page.goto(`http://127.0.0.1:${product.port}/`)
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  await expect(page.getByRole('heading', { name: 'Hello' })).toBeVisible()
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await expect(page.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Feedback' }).click()
  await page.getByLabel('Your message').fill('Still here')
  await page.reload()
  await page.getByRole('button', { name: 'Feedback' }).click()
  await expect(page.getByLabel('Your message')).toHaveValue('Still here')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Thank you.')).toBeVisible()

  const { body } = await product.administrator.post('/api/admin/list_feedbacks')
  expect(body.items).toMatchObject([{ content: 'Still here' }])
  expect(thrown).toEqual([])
})

test('a token that ends is replaced by the next one that the function gives, and by sign-in if there is none', async ({
  product,
  page,
}) => {
  const scopes = ['operations:notifications:read', 'operations:notifications:write'] as const
  const [first, second] = [await grantFor(product.ann, ...scopes), await grantFor(product.ann, ...scopes)]
  await publish(product, 'Hello')
  const given = [first.tokens.access_token]
  await page.exposeFunction('myToken', () => given[0])
  product.show(
    '<gatehouse-notifications></gatehouse-notifications>',
    "addEventListener('DOMContentLoaded', () => { document.querySelector('gatehouse-notifications').token = () => myToken() })",
  )
  const endGrant = async () => {
    const { body } = await product.ann.post('/api/list_grants')
    const oldest = body.items.filter(({ status }: { status: string }) => status === 'active').at(-1)
    await product.ann.post('/api/revoke_grant', { id: oldest.id })
  }

  await page.goto(`http://localhost:${product.port}/`)
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  await endGrant()
  given[0] = second.tokens.access_token
  await page.getByRole('button', { name: 'Actions for “Hello”' }).click()
  await page.getByRole('button', { name: 'Mark as read', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Hello' })).toBeVisible()
  await endGrant()
  await product.made.runJob('events')
  await expect(page.getByRole('heading', { name: 'Hello' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Notifications' }).click()
  await expect(page).toHaveURL(/\/sign-in\?return_to=/)
})

test('an unreachable server is reported, and noticed when it is back, with the draft', async ({ product, page }) => {
  product.show(ALL)
  await signIn(product, page)
  const isAway = { now: true }
  await page.route(`${product.gatehouse.url}/api/**`, (route) =>
    isAway.now ? route.abort('connectionrefused') : route.continue(),
  )

  await page.goto(`http://127.0.0.1:${product.port}/`)
  await expect(page.getByRole('alert').first()).toHaveText('The server cannot be reached. Try again later.')
  await assertAccessible(page)
  isAway.now = false
  await expect(page.getByRole('button', { name: /Your account/ })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.getByRole('button', { name: 'Feedback' }).click()
  await page.getByLabel('Your message').fill('Cheaper')
  isAway.now = true
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('alert').first()).toHaveText('The server cannot be reached. Try again later.')
  await expect(page.getByLabel('Your message')).toHaveValue('Cheaper')
  isAway.now = false
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Thank you.')).toBeVisible()
})

test('10,000 notifications, words of 10,000 letters and HTML in everything fit a narrow screen, in either direction', async ({
  product,
  page,
}) => {
  const word = 'w'.repeat(10_000)
  const { meta, now } = product.made.platform
  for (let part = 0; part < 20; part++) {
    const rows = Array.from({ length: 500 }, (_, i) => ({
      ...{ id: `n-${part}-${i}`, type: 'system', title: HOSTILE, content: i % 2 === 0 ? word : HOSTILE },
      ...{ target_user_id: null, link: null, level: 'warning' as const, also_email: 0 as const },
      ...{ created_at: now() + part * 500 + i, updated_at: now(), archived_at: null },
    }))
    await meta.insertInto('notifications').values(rows).execute()
  }
  await product.ann.post('/api/auth/update-user', { name: `${HOSTILE}${'n'.repeat(150)}` })
  await product.ann.post('/api/submit_feedback', { type: 'idea', content: word })
  await signIn(product, page)
  await page.setViewportSize({ width: 320, height: 640 })
  const address = `http://127.0.0.1:${product.port}/`
  for (const direction of ['ltr', 'rtl']) {
    product.show(`<div dir="${direction}">${ALL}</div>`)
    await page.goto(address)
    await page.getByRole('button', { name: 'Notifications, 10000 unread' }).click()
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect(page.getByRole('heading', { name: HOSTILE })).toHaveCount(40)
    await expectToFit(page, 'gatehouse-notifications')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /Your account/ }).click()
    await expectToFit(page, 'gatehouse-user')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Feedback' }).click()
    await page.getByRole('button', { name: 'Your feedback' }).click()
    await expect(page.getByText(word)).toBeVisible()
    await expectToFit(page, 'gatehouse-feedback')
  }
  expect(await page.evaluate('window.hacked')).toBe(undefined)
})

interface Widths {
  readonly left: number
  readonly right: number
  readonly inner: number
  readonly scrollWidth: number
  readonly clientWidth: number
}

/** Nothing of the element, and nothing beside it, is cut off at the side. */
async function expectToFit(page: import('@playwright/test').Page, name: string): Promise<void> {
  await page.screenshot({ path: test.info().outputPath(`${name}.png`) })
  const widths = await page.evaluate<Widths>(`(() => {
    const panel = document.querySelector('${name}').shadowRoot.querySelector('.panel, dialog')
    const { left, right } = panel.getBoundingClientRect()
    const { scrollWidth, clientWidth } = document.documentElement
    return { left, right, inner: panel.scrollWidth - panel.clientWidth, scrollWidth, clientWidth }
  })()`)
  expect(widths.left).toBeGreaterThanOrEqual(0)
  expect(widths.right).toBeLessThanOrEqual(widths.clientWidth)
  expect(widths.inner).toBeLessThanOrEqual(0)
  expect(widths.scrollWidth).toBeLessThanOrEqual(widths.clientWidth)
}

test('checklist 118: inside a page of another site nothing can be clicked, and account pages do not open there', async ({
  product,
  page,
  complaints,
}) => {
  product.show(ALL)
  await signIn(product, page)
  const around = (source: string) => page.goto(`http://localhost:${product.port}${AROUND}${encodeURIComponent(source)}`)

  await around(`http://127.0.0.1:${product.port}/`)
  for (const frame of [page.frameLocator('iframe').nth(0), page.frameLocator('iframe').nth(1)]) {
    await expect(frame.getByText('Not available inside another site’s page.')).toHaveCount(3)
    await expect(frame.getByRole('button')).toHaveCount(0)
  }
  for (const path of ['/settings', '/sign-in', '/unsubscribe', '/console', '/notifications']) {
    await around(`${product.gatehouse.url}${path}`)
    await expect.poll(() => complaints.join(), path).toMatch(/frame-ancestors/)
    complaints.length = 0
  }
})
