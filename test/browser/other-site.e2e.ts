import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test as base, chromium, expect, type Page } from '@playwright/test'
import { build } from 'esbuild'
import { createApp } from '../../src/app.ts'
import { en } from '../../web/src/texts/en.ts'
import { findExecutable } from '../processes/executable.ts'
import { register, tokensFor } from '../service/applications.ts'
import { builtPages } from '../service/built-pages.ts'
import { type Person, people } from '../service/people.ts'
import { type Service, startService } from '../service/service.ts'
import { fillSignIn } from './support/acts.ts'
import { findChromium } from './support/chromium.ts'
import { heard } from './support/product.ts'

const HOST = 'id.gatehouse.example'
const GATEHOUSE = `https://${HOST}`
const PRODUCT_HOST = 'app.product.test'
const PRODUCT = `https://${PRODUCT_HOST}`
const SCOPES = [
  ...['openid', 'profile', 'email'],
  ...['operations:notifications:read', 'operations:notifications:write'],
  ...['operations:feedback:read', 'operations:feedback:write'],
]
const SCOPE = SCOPES.join(' ')
const openssl = findExecutable('openssl')

interface Sites {
  readonly page: Page
  readonly service: Service
  readonly ann: Person
  readonly administrator: Person
  /** Files of the product by their path. */
  serve(files: Readonly<Record<string, string>>): void
}

/** Two sites, each with its own registrable domain and TLS, and a browser that finds both. */
const test = base.extend<{ sites: Sites }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures a fixture needs from its parameter.
  sites: async ({}, use) => {
    await using opened = new AsyncDisposableStack()
    const tls = certificate()
    const service = opened.use(await startService({ env: { APP_DOMAIN: HOST } }))
    let files: Readonly<Record<string, string>> = {}
    const listen = async (listener: RequestListener) => {
      const server = createServer(tls, listener).listen(0, '127.0.0.1')
      opened.defer(() => {
        server.closeAllConnections()
        server.close()
      })
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    }
    const gatehouse = await listen(createApp(service.platform, builtPages()).handle)
    const product = await listen(({ url = '/' }, response) => {
      const [path = '/'] = url.split('?')
      response.setHeader('content-type', path.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8')
      response.end(files[path] ?? '')
    })
    const { executablePath, env } = await findChromium()
    const rules = `MAP ${HOST} 127.0.0.1:${gatehouse}, MAP ${PRODUCT_HOST} 127.0.0.1:${product}`
    const browser = await chromium.launch({
      executablePath,
      env: { ...process.env, ...env },
      args: ['--no-sandbox', '--no-zygote', '--disable-gpu', `--host-resolver-rules=${rules}`],
    })
    opened.defer(() => browser.close())
    const page = await browser.newPage({ ignoreHTTPSErrors: true, locale: 'en-US' })
    const { ann, administrator } = await people(service)
    await administrator.post('/api/admin/create_notification', {
      title: 'News',
      content: 'The gate is open.',
    })
    await use({
      ...{ page, service, ann, administrator },
      serve: (now) => {
        files = now
      },
    })
  },
})

test.skip(openssl === undefined, 'openssl makes the certificate')

test('without a token nobody is signed in on another site, even after signing in at Gatehouse', async ({ sites }) => {
  const { page, ann, serve } = sites
  serve({ '/': `<!doctype html><title>Product</title>${TAG}${ELEMENTS}` })
  await page.goto(`${GATEHOUSE}/sign-in`)
  await fillSignIn(page, ann.email, ann.password, en)
  await expect(page.getByText(ann.email).first()).toBeVisible()

  await page.goto(PRODUCT)

  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
  await expect(page.getByRole('alert').first()).toHaveText('The server cannot be reached. Try again later.')
})

test('React with a token of the product’s back end: elements and hooks, live, without a cookie', async ({ sites }) => {
  const { page, ann, administrator, service, serve } = sites
  const shop = await register(administrator, { scopes: SCOPES })
  const { access_token } = await tokensFor(ann, shop, { scope: SCOPE })
  serve({
    '/': '<!doctype html><title>Product</title><div id="root"></div><script src="/app.js"></script>',
    '/app.js': await bundled(),
    '/my-token': access_token,
  })
  const said = heard(page)
  const sent = cookiesSent(page)

  await page.goto(PRODUCT)
  await expect(page.getByRole('heading', { name: /^Hello, / })).toBeVisible()
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  await expect(page.getByRole('heading', { name: 'News' })).toBeVisible()
  await administrator.post('/api/admin/create_notification', { title: 'Live', content: 'Now.' })
  await service.runJob('events')
  await expect(page.getByRole('listitem').filter({ hasText: 'Live' }).first()).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'I like it' }).click()
  await expect(page.getByText('Thank you!')).toBeVisible()

  const { body } = await administrator.post('/api/admin/list_feedbacks')
  expect(body.items).toMatchObject([{ user_id: ann.id, context: { page: `${PRODUCT}/` } }])
  expect([...new Set(sent)]).toEqual([undefined])
  expect(said).toEqual([])
})

test('OpenID Connect in the page alone: it gets the token itself, and gives it to the elements', async ({ sites }) => {
  const { page, ann, administrator, serve } = sites
  const fields = { kind: 'browser', name: 'Shop', redirect_uris: [`${PRODUCT}/`], scopes: SCOPES }
  const { client_id } = await register(administrator, fields)
  const page_ = `<!doctype html><title>Product</title>${TAG}<button id="enter">Enter</button>${ELEMENTS}<script src="/page.js"></script>`
  serve({ '/': page_, '/page.js': openIdScript(client_id) })
  const sent = cookiesSent(page)

  await page.goto(PRODUCT)
  await page.getByRole('button', { name: 'Enter' }).click()
  await page.waitForURL(`${GATEHOUSE}/**`)
  await fillSignIn(page, ann.email, ann.password, en)
  await page.getByRole('button', { name: en.consent.approve }).click()
  await page.waitForURL(`${PRODUCT}/**`)

  await expect(page.getByRole('button', { name: 'Notifications, 1 unread' })).toBeVisible()
  await page.getByRole('button', { name: /Your account/ }).click()
  await expect(page.getByText(ann.email).first()).toBeVisible()
  expect([...new Set(sent)]).toEqual([undefined])
})

const TAG = `<script type="module" src="${GATEHOUSE}/elements.js"></script>`
const ELEMENTS =
  '<gatehouse-user></gatehouse-user><gatehouse-notifications></gatehouse-notifications><gatehouse-feedback></gatehouse-feedback>'

/** The cookies of each request that the product’s page sends to Gatehouse. */
function cookiesSent(page: Page): (string | undefined)[] {
  const sent: (string | undefined)[] = []
  page.on('response', async (response) => {
    const request = response.request()
    if (!request.url().startsWith(GATEHOUSE) || !page.url().startsWith(PRODUCT)) return
    if (request.isNavigationRequest()) return
    sent.push((await request.allHeaders()).cookie)
  })
  return sent
}

function bundled(): Promise<string> {
  const examples = fileURLToPath(new URL('../../examples/react', import.meta.url))
  const contents = `
    import { GatehouseProvider, NotificationBell, UserButton } from 'gatehouse/react'
    import { StrictMode } from 'react'
    import { createRoot } from 'react-dom/client'
    import { Product } from './product.jsx'
    createRoot(document.getElementById('root')).render(
      <StrictMode>
        <GatehouseProvider server="${GATEHOUSE}" token={async () => (await fetch('/my-token')).text()}>
          <UserButton /><NotificationBell /><Product />
        </GatehouseProvider>
      </StrictMode>,
    )`
  return build({
    stdin: { contents, resolveDir: examples, loader: 'jsx' },
    ...{ bundle: true, format: 'iife', write: false, jsx: 'automatic' },
    define: { 'process.env.NODE_ENV': '"development"' },
  }).then(({ outputFiles }) => outputFiles[0]?.text ?? '')
}

function openIdScript(clientId: string): string {
  return `
    const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
      .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
    const common = { client_id: '${clientId}', redirect_uri: '${PRODUCT}/' }
    enter.onclick = async () => {
      sessionStorage.verifier = base64(crypto.getRandomValues(new Uint8Array(32)))
      const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(sessionStorage.verifier))
      location.href = '${GATEHOUSE}/oauth/authorize?' + new URLSearchParams({ ...common, response_type: 'code',
        scope: '${SCOPE}', state: 'x', code_challenge: base64(hash), code_challenge_method: 'S256' })
    }
    const code = new URLSearchParams(location.search).get('code')
    if (code) {
      const body = new URLSearchParams({ ...common, grant_type: 'authorization_code', code,
        code_verifier: sessionStorage.verifier })
      const answer = fetch('${GATEHOUSE}/api/oauth/token', { method: 'POST', body }).then((answer) => answer.json())
      const token = async () => (await answer).access_token
      for (const one of document.querySelectorAll('gatehouse-user, gatehouse-notifications, gatehouse-feedback'))
        one.token = token
    }`
}

function certificate(): { readonly key: Buffer; readonly cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'))
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
  const flags = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=example -days 1'
  execFileSync(openssl ?? '', [...flags.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' })
  const made = { key: readFileSync(key), cert: readFileSync(cert) }
  rmSync(folder, { recursive: true })
  return made
}
