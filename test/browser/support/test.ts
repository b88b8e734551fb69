import { type BrowserContextOptions, test as base, expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { type Person, people } from '../../service/people.ts'
import { type Options, type Service, startService } from '../../service/service.ts'
import { fillSignIn } from './acts.ts'
import { type Front, ORIGIN, openFront } from './front.ts'

/** Messages leave after some seconds, and a busy machine can look later than that. */
const MESSAGES_STAY = `
  const later = setTimeout
  window.setTimeout = (act, wait, ...more) => later(act, wait > 5000 && wait < 20000 ? 60000 : wait, ...more)
`

interface OfWorker {
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
  /** Complaints of pages: errors of scripts, things that the policy refused. A test fails if any is left. */
  readonly complaints: string[]
  /** Another person's browser, with nothing remembered. */
  readonly openPage: (options?: BrowserContextOptions) => Promise<Page>
  /** Another person's browser, signed in and on the page. */
  readonly enterAs: (person: Person, path: string, options?: BrowserContextOptions) => Promise<Page>
  /** The same, for the administrator. */
  readonly openConsole: (path: string, options?: BrowserContextOptions) => Promise<Page>
}

export const test = base.extend<OfTest, OfWorker>({
  front: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures a fixture needs from its parameter.
    async ({}, use) => {
      await using front = await openFront()
      await use(front)
    },
    { scope: 'worker' },
  ],
  browser: [({ front }, use) => use(front.browser), { scope: 'worker' }],
  serviceOptions: [{}, { option: true }],
  service: async ({ front, serviceOptions }, use) => {
    await using service = await startService(serviceOptions)
    front.serve(service)
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
      const looks = { baseURL: ORIGIN, locale: 'en-US', reducedMotion: 'reduce', ...options } as const
      const context = contexts.use(await browser.newContext(looks))
      await context.addInitScript(MESSAGES_STAY)
      return watched(await context.newPage(), complaints)
    })
  },
  page: async ({ openPage }, use) => use(await openPage()),
  enterAs: async ({ openPage }, use) => {
    await use(async (person, path, options = {}) => {
      const page = await openPage(options)
      await page.goto(path)
      // A page that is left before the response gets no session.
      const answered = page.waitForResponse('**/api/auth/sign-in/email', { timeout: 0 })
      const texts = options.locale?.startsWith('zh') ? zh : en
      await Promise.all([answered, fillSignIn(page, person.email, person.password, texts)])
      return page
    })
  },
  openConsole: async ({ enterAs, administrator }, use) => {
    await use((path, options) => enterAs(administrator, path, options))
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
