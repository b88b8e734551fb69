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
  /** At another address of the same site; its name `localhost` is another site. */
  readonly port: number
  /** What its one page has in its body, and the script that it runs. */
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
    // As strict as a policy can be for a page that uses them.
    const policy = `default-src 'none'; script-src 'self' ${gatehouse.url}; connect-src ${gatehouse.url} http://127.0.0.1:1; base-uri 'none'`
    const server = createServer(({ url }, response) => {
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

test('the script is one module of at most 25 KB, for pages of any origin', async ({
  product: { gatehouse },
}) => {
  const response = await gatehouse.request('/elements.js')
  const again = await gatehouse.request('/elements.js', {
    headers: { 'if-none-match': response.headers.get('etag') ?? '' },
  })

  expect(gzipSync(await response.text()).byteLength).toBeLessThan(25_000)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect([response.status, again.status]).toEqual([200, 304])
})

test('on a page of the same site: user, bell and feedback, by the cookie', async ({ product, page }) => {
  await publish(product, 'Before', { link: '/news' })
  product.show(
    ALL,
    "addEventListener('gatehouse:signed-in', () => { document.title = 'In' }, { once: true })",
  )
  await signIn(product, page)

  await page.goto(`http://127.0.0.1:${product.port}/`)
  await expect(page).toHaveTitle('In')
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  await expect(page.getByRole('heading', { name: 'Before' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Open' })).toHaveAttribute(
    'href',
    `http://127.0.0.1:${product.port}/news`,
  )
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

test('feedback keeps its draft, sends its page and version, and shows the answer', async ({
  product,
  page,
}) => {
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

test('on a page of another site: a function gives the token, and nothing else is sent', async ({
  product,
  page,
}) => {
  const { tokens } = await grantFor(
    product.ann,
    ...['account:profile:read', 'operations:notifications:read', 'operations:notifications:write'],
  )
  await publish(product, 'Hello')
  const script = `addEventListener('DOMContentLoaded', () => {
    for (const one of document.querySelectorAll('gatehouse-user,gatehouse-notifications'))
      one.token = async () => '${tokens.access_token}'
  })`
  product.show('<gatehouse-user></gatehouse-user><gatehouse-notifications></gatehouse-notifications>', script)

  await page.goto(`http://localhost:${product.port}/`)
  await expect(page.getByRole('button', { name: 'Notifications, 1 unread' })).toBeVisible()
  await publish(product, 'Live')
  await expect(page.getByRole('button', { name: 'Notifications, 2 unread' })).toBeVisible()

  const { body } = await product.ann.post('/api/list_grants')
  await product.ann.post('/api/revoke_grant', { id: body.items[0].id })
  await product.made.runJob('events')
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
})

test('a hostile page and hostile texts run nothing, and a server away is said in words', async ({
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
