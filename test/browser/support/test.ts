import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { type BrowserContextOptions, test as base, expect, type Page } from '@playwright/test'
import { createApp } from '../../../src/app.ts'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { builtPages } from '../../service/built-pages.ts'
import { type Person, people } from '../../service/people.ts'
import { type Options, type Service, startService } from '../../service/service.ts'
import { fillSignIn } from './acts.ts'
import { findChromium } from './chromium.ts'
import { nextDelayMilliseconds } from './delays.ts'

const HOST = 'localhost:5173'

/** A pause before each act lets the page react first, for example to a session that has just ended. */
const pauseMilliseconds = Number(process.env.TEST_PAUSE_MILLISECONDS ?? 0)

/** Messages leave after some seconds, and a busy machine can look later than that. */
const MESSAGES_STAY = `
  const later = setTimeout
  window.setTimeout = (act, wait, ...more) => later(act, wait > 5000 && wait < 20000 ? 60000 : wait, ...more)
`

interface Front {
  readonly port: number
  listener: RequestListener
}

interface OfWorker {
  /** Listens for all services of a worker, one after the other, below the base address. */
  readonly front: Front
}

interface OfTest {
  /** `test.use({ serviceOptions })` sets them for a file or a describe. */
  readonly serviceOptions: Options
  readonly service: Service
  readonly persons: Awaited<ReturnType<typeof people>>
  readonly administrator: Person
  readonly ann: Person
  readonly ben: Person
  /** What pages complained about: errors of scripts, things that the policy refused. A test fails if any is left. */
  readonly complaints: string[]
  /** Another person's browser, with nothing remembered. */
  readonly openPage: (options?: BrowserContextOptions) => Promise<Page>
  /** Another person's browser, signed in and on the page, in the language of its `locale`. */
  readonly enterAs: (person: Person, path: string, options?: BrowserContextOptions) => Promise<Page>
}

export const test = base.extend<OfTest, OfWorker>({
  front: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures a fixture needs from its parameter.
    async ({}, use) => {
      const server = createServer((request, response) => {
        const [path = ''] = (request.url ?? '').split('?')
        setTimeout(() => front.listener(request, response), nextDelayMilliseconds(path))
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const address = server.address()
      if (address === null || typeof address === 'string') throw new Error('no port was given')
      const front: Front = { port: address.port, listener: (_, response) => response.writeHead(503).end() }
      await use(front)
      server.closeAllConnections()
      server.close()
    },
    { scope: 'worker' },
  ],
  browser: [
    async ({ front, playwright }, use) => {
      const { executablePath, env } = await findChromium()
      const browser = await playwright.chromium.launch({
        executablePath,
        slowMo: pauseMilliseconds,
        env: { ...process.env, ...env },
        args: [
          '--no-sandbox',
          '--no-zygote',
          '--disable-gpu',
          `--host-resolver-rules=MAP ${HOST} 127.0.0.1:${front.port}`,
        ],
      })
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
  serviceOptions: [{}, { option: true }],
  service: async ({ front, serviceOptions }, use) => {
    await using service = await startService(serviceOptions)
    front.listener = getRequestListener(createApp(service.platform, builtPages()).fetch)
    await use(service)
  },
  persons: async ({ service }, use) => use(await people(service)),
  administrator: async ({ persons }, use) => use(persons.administrator),
  ann: async ({ persons }, use) => use(persons.ann),
  ben: async ({ persons }, use) => use(persons.ben),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures a fixture needs from its parameter.
  complaints: async ({}, use) => {
    const complaints: string[] = []
    await use(complaints)
    expect(complaints).toEqual([])
  },
  openPage: async ({ browser, service: _, complaints }, use) => {
    await using contexts = new AsyncDisposableStack()
    await use(async (options) => {
      const looks = {
        baseURL: `http://${HOST}`,
        locale: 'en-US',
        reducedMotion: 'reduce',
        ...options,
      } as const
      const context = contexts.use(await browser.newContext(looks))
      await context.addInitScript(MESSAGES_STAY)
      return watched(await context.newPage(), complaints)
    })
  },
  page: async ({ openPage }, use) => use(await openPage()),
  enterAs: async ({ openPage }, use) => {
    await use(async ({ email, password }, path, options = {}) => {
      const page = await openPage(options)
      await page.goto(path)
      await fillSignIn(page, email, password, options.locale?.startsWith('zh') ? zh : en)
      return page
    })
  },
})

function watched(page: Page, complaints: string[]): Page {
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A refused request is an answer, not a fault of the page.
    const isFault = message.type() === 'error' && !message.text().startsWith('Failed to load resource')
    if (isFault) complaints.push(message.text())
  })
  return page
}
