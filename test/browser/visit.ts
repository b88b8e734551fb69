import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import { getRequestListener } from '@hono/node-server'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { createApp } from '../../src/app.ts'
import type { Service } from '../service/service.ts'
import { chromiumPath } from './chromium.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const patienceMilliseconds = 20_000

/** Real browsers on the real service: each `enter` is another person's. */
export interface House {
  readonly origin: string
  enter(options?: BrowserContextOptions): Promise<Page>
  /** What the browsers complained about: errors of scripts, things that the policy refused. */
  readonly complaints: readonly string[]
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * The service listens on any free port; in the browser its base address leads there,
 * so that cookies, redirects and providers see the address that a person would see.
 */
export async function openHouse(service: Service): Promise<House> {
  const server = createServer(getRequestListener(createApp(service.platform).fetch)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { host, origin } = new URL(service.config.baseUrl)
  const browser = await chromium.launch({
    executablePath: await chromiumPath(),
    args: [
      '--no-sandbox',
      '--no-zygote',
      '--disable-gpu',
      `--host-resolver-rules=MAP ${host} 127.0.0.1:${portOf(server)}`,
    ],
  })
  const complaints: string[] = []
  return {
    origin,
    complaints,
    enter: async (options) => watch(await newContext(browser, origin, options), complaints),
    async [Symbol.asyncDispose]() {
      await browser.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return address.port
}

function newContext(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  return browser.newContext({ baseURL: origin, locale: 'en-US', reducedMotion: 'reduce', ...options })
}

async function watch(context: BrowserContext, complaints: string[]): Promise<Page> {
  context.setDefaultTimeout(patienceMilliseconds)
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A refused request is an answer, not a fault of the page.
    const isFault = message.type() === 'error' && !message.text().startsWith('Failed to load resource')
    if (isFault) complaints.push(message.text())
  })
  return page
}

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string }[]
}

/** axe-core finds nothing serious on the page as it stands. */
export async function assertAccessible(page: Page): Promise<void> {
  const violations = await page.evaluate<Violation[]>(
    `(() => { ${axe}; return axe.run().then((found) => found.violations) })()`,
  )
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  const words = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  assert.deepEqual(words, [], `on ${page.url()}`)
}
