import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { createApp } from '../../../src/app.ts'
import { builtPages } from '../../service/built-pages.ts'
import type { Service } from '../../service/service.ts'
import { findChromium } from './chromium.ts'
import { nextDelayMilliseconds } from './delays.ts'

const patienceMilliseconds = 90_000

/** A pause before each act lets the page react first, for example to a session that has just ended. */
const pauseMilliseconds = Number(process.env.TEST_PAUSE_MILLISECONDS ?? 0)

/** Messages leave after some seconds, and a busy machine can look later than that. */
const MESSAGES_STAY = `
  const later = setTimeout
  window.setTimeout = (act, wait, ...more) => later(act, wait > 5000 && wait < 20000 ? 60000 : wait, ...more)
`

/** People's browsers on one service. */
export interface BrowserSession {
  readonly origin: string
  /** Another person's browser, with nothing remembered. */
  openPage(options?: BrowserContextOptions): Promise<Page>
  /** What the browsers complained about: errors of scripts, things that the policy refused. */
  readonly complaints: readonly string[]
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * One Chromium in which the base address leads to the service whose session was opened last, so that cookies,
 * redirects and providers see the address that a person would see.
 */
export class TestBrowser {
  readonly #browser: Browser
  readonly #front: Front
  readonly #opened: AsyncDisposableStack

  private constructor(browser: Browser, front: Front, opened: AsyncDisposableStack) {
    this.#browser = browser
    this.#front = front
    this.#opened = opened
  }

  static async launch(baseUrl: string): Promise<TestBrowser> {
    await using opening = new AsyncDisposableStack()
    const front = opening.use(await openFront(new URL(baseUrl).host))
    const { executablePath, env } = await findChromium()
    const rule = `MAP ${front.host} 127.0.0.1:${front.port}`
    const browser = await chromium.launch({
      executablePath,
      slowMo: pauseMilliseconds,
      env: { ...process.env, ...env },
      args: ['--no-sandbox', '--no-zygote', '--disable-gpu', `--host-resolver-rules=${rule}`],
    })
    opening.defer(() => browser.close())
    return new TestBrowser(browser, front, opening.move())
  }

  openSession({ platform, config }: Service): BrowserSession {
    const { host, origin } = new URL(config.baseUrl)
    if (host !== this.#front.host) throw new Error(`this browser was launched for ${this.#front.host}`)
    this.#front.listener = getRequestListener(createApp(platform, builtPages()).fetch)
    const complaints: string[] = []
    const contexts = new AsyncDisposableStack()
    return {
      origin,
      complaints,
      openPage: async (options) => {
        const looks = { baseURL: origin, locale: 'en-US', reducedMotion: 'reduce', ...options } as const
        const context = contexts.use(await this.#browser.newContext(looks))
        context.setDefaultTimeout(patienceMilliseconds)
        await context.addInitScript(MESSAGES_STAY)
        return watch(await context.newPage(), complaints)
      },
      [Symbol.asyncDispose]: () => contexts.disposeAsync(),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync()
  }
}

interface Front extends AsyncDisposable {
  readonly host: string
  readonly port: number
  listener: RequestListener
}

/** Listens for all services that the browser meets, one after the other. */
async function openFront(host: string): Promise<Front> {
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    setTimeout(() => front.listener(request, response), nextDelayMilliseconds(path))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  const front: Front = {
    host,
    port: address.port,
    listener: (_request, response) => response.writeHead(503).end(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return front
}

function watch(page: Page, complaints: string[]): Page {
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A refused request is an answer, not a fault of the page.
    const isFault = message.type() === 'error' && !message.text().startsWith('Failed to load resource')
    if (isFault) complaints.push(message.text())
  })
  return page
}
