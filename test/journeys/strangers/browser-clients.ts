import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe } from 'vitest'
import { z } from 'zod'
import { findChromium } from '../../browser/support/chromium.ts'
import { register } from '../../service/applications.ts'
import { it } from '../../service/today.ts'
import { BROWSER_CLIENTS, canRun, examples, folderOf } from './clients.ts'

const SCOPES = ['openid', 'profile', 'email', 'offline_access']
const Shown = z.object({ sub: z.string(), email: z.string(), access_token: z.string() })

// Pages of their own, at another address than Gatehouse, with a script that keeps the tokens.
describe('a client in the browser', () => {
  const resources = new AsyncDisposableStack()
  let browser: Awaited<ReturnType<typeof chromium.launch>>

  beforeAll(async () => {
    const { executablePath, env } = await findChromium()
    const args = ['--no-sandbox', '--no-zygote', '--disable-gpu']
    browser = await chromium.launch({ executablePath, args, env: { ...process.env, ...env } })
    resources.defer(() => browser.close())
  })
  afterAll(() => resources.disposeAsync())

  for (const client of BROWSER_CLIENTS)
    it.skipIf(!canRun(client))(
      `${client.name}: signs a user in, refreshes and signs out (needs node scripts/clients.mjs)`,
      async ({ server: { url }, administrator, ann }) => {
        await using pages = await served(await bundled(client.file))
        const addresses = [`${pages.origin}/`]
        const { client_id } = await register(administrator, {
          ...{ redirect_uris: addresses, post_logout_redirect_uris: addresses },
          ...{ skip_consent: true, scopes: SCOPES, ...client.fields },
        })
        pages.show(`<body data-issuer="${url}" data-client-id="${client_id}">`)
        await using context = await browser.newContext()
        await context.addCookies([...ann.cookies].map(([name, value]) => ({ name, value, url })))
        const page = await context.newPage()

        await page.goto(pages.origin)
        await page.locator('#sign-in').click()
        const first = await shownIn(page, /access_token/)
        await page.locator('#refresh').click()
        const renewed = await shownIn(page, new RegExp(`^(?!.*${first.access_token}).*access_token`))
        const leaving = page.waitForResponse((response) => response.url().startsWith(`${url}/oauth/end-session`))
        await page.locator('#sign-out').click()
        const left = await leaving
        const { body: session } = await ann.get('/api/auth/get-session')

        assert.deepEqual([first.sub, first.email], [ann.id, ann.email])
        assert.notEqual(renewed.access_token, first.access_token)
        assert.ok((left.headers().location ?? '').startsWith(addresses[0] ?? ''))
        assert.equal(session, null)
      },
    )
})

async function shownIn(page: Page, pattern: RegExp) {
  const output = page.locator('output', { hasText: pattern })
  await output.waitFor()
  return Shown.parse(JSON.parse((await output.textContent()) ?? ''))
}

async function bundled(file: string): Promise<string> {
  const nodePaths = [join(folderOf({ registry: 'npm' }), 'node_modules')]
  const options = { bundle: true, write: false, format: 'esm', nodePaths } as const
  const { outputFiles } = await build({ ...options, entryPoints: [join(examples, file)] })
  return outputFiles[0]?.text ?? assert.fail(`${file} was not built`)
}

async function served(script: string) {
  let body = ''
  const buttons = ['sign-in', 'refresh', 'sign-out'].map((id) => `<button id="${id}">${id}</button>`).join('')
  const server = createServer((request, response) => {
    const isScript = request.url === '/script.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(
      isScript
        ? script
        : `<!doctype html>${body}<output></output>${buttons}<script type="module" src="/script.js"></script>`,
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    show(start: string) {
      body = start
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
