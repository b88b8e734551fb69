import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'

export type Open = (options?: BrowserContextOptions) => Promise<BrowserContext>

const SLOW_NETWORK = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }
const SLOWER_PROCESSOR = { rate: 4 }

/** First visits to the sign-in page, each with an empty cache. On a phone, network and processor are slow. */
export async function visits(open: Open, count: number, options: BrowserContextOptions) {
  const all: Awaited<ReturnType<typeof visitOnce>>[] = []
  for (let visit = 0; visit < count; visit++) {
    await using context = await open(options)
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
