import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../../test/browser/support/chromium.ts'
import { en } from '../../../web/src/texts/en.ts'
import { atMost, type Figure, type Measure, median, round } from '../../load/measure.ts'
import { administratorToken, type Folder, folderOf, startOurs } from '../../ours.ts'
import { SHARDS, shardRows, sizeOf } from '../../rows/many-people.ts'
import { clickThrough, turnPages } from './console.ts'

const PEOPLE = 10_000
const TURNS = 20
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true }
const SLOW_NETWORK = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }
const SLOWER_PROCESSOR = { rate: 4 }

/** In Chromium, as a user has it: the first visit, a click in the console, and paging. */
export const measure: Measure = {
  title: `The pages in Chromium: first visit to sign-in, clicks and paging in the console with ${PEOPLE} users`,
  async run({ rounds }) {
    await using folder = await folderOf(PEOPLE)
    insertFeedbacks(folder, PEOPLE)
    const token = administratorToken(folder)
    await using server = await startOurs(folder)
    const { executablePath, env } = await findChromium()
    const args = ['--no-sandbox', '--disable-gpu']
    await using browser = await chromium.launch({ executablePath, env: { ...process.env, ...env }, args })
    const baseURL = `http://localhost:${server.port}`

    const fast = await visits(browser, rounds, { baseURL })
    const phone = await visits(browser, rounds, { baseURL, ...PHONE })
    await using context = await browser.newContext({ baseURL })
    await context.addCookies([{ name: 'session', value: token, url: baseURL }])
    const page = await context.newPage()
    const clicks = await clickThrough(page, rounds)
    const longTasks = await turnPages(page, 100, TURNS)
    const slowest = Math.max(...clicks.map(({ milliseconds }) => median(milliseconds)))
    return {
      ratios: [
        atMost('first visit, transferred', round(median(fast.map(({ bytes }) => bytes)) / 1024), 120, 'KB'),
        atMost('first visit, requests', median(fast.map(({ requests }) => requests)), 9, ''),
        atMost('largest paint on a slow phone, median', paintOf(phone), 1_300, 'ms'),
        atMost('a click in the console shows its rows, median of the slowest list', round(slowest), 100, 'ms'),
        atMost(`long tasks in ${TURNS} turns of a page of 100 users`, longTasks.length, 0, ''),
      ],
      figures: [
        paintsOf('first visit', fast),
        paintsOf('slow phone', phone),
        ...clicks.map(({ path: what, milliseconds }) => {
          return { what, 'rows ms': Math.round(median(milliseconds)), spread: spreadOf(milliseconds) }
        }),
        { what: 'long tasks, pages of 100', 'each, ms': longTasks.join(' ') },
      ],
    }
  },
}

/** First visits to the sign-in page, each with an empty cache. On a phone, network and processor are slow. */
export async function visits(browser: Browser, count: number, options: BrowserContextOptions) {
  const all: Awaited<ReturnType<typeof visitOnce>>[] = []
  for (let visit = 0; visit < count; visit++) {
    await using context = await browser.newContext(options)
    all.push(await visitOnce(await context.newPage(), options.isMobile === true))
  }
  return all
}

/** `paint` is the largest contentful paint, in milliseconds. */
async function visitOnce(page: Page, isSlow: boolean) {
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  if (isSlow) {
    await network.send('Network.emulateNetworkConditions', SLOW_NETWORK)
    await network.send('Emulation.setCPUThrottlingRate', SLOWER_PROCESSOR)
  }
  const sizes: number[] = []
  network.on('Network.loadingFinished', ({ encodedDataLength }) => sizes.push(encodedDataLength))
  await page.goto('/sign-in', { waitUntil: 'networkidle' })
  await page.getByRole('heading', { name: en.signIn.title }).waitFor()
  const paint = await page.evaluate<number>(LARGEST_PAINT)
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), requests: sizes.length, paint }
}

const LARGEST_PAINT = `new Promise((resolve) => new PerformanceObserver((list) =>
  resolve(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true }))`

type Visits = Awaited<ReturnType<typeof visits>>
const paintOf = (all: Visits) => Math.round(median(all.map(({ paint }) => paint)))
const spreadOf = (all: readonly number[]) => `${Math.round(Math.min(...all))} to ${Math.round(Math.max(...all))}`
const paintsOf = (what: string, all: Visits): Figure => {
  return { what, 'largest paint ms': paintOf(all), spread: spreadOf(all.map(({ paint }) => paint)) }
}

function insertFeedbacks(folder: Folder, users: number): void {
  for (const [i, name] of SHARDS.entries()) {
    using shard = folder.open(name)
    shard.exec(shardRows(sizeOf(users), i, Date.now()).join(';'))
  }
}
