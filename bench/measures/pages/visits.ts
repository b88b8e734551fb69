import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'

export type Open = (options?: BrowserContextOptions) => Promise<BrowserContext>

export interface Visit {
  readonly bytes: number
  readonly requests: number
  /** The largest contentful paint, in milliseconds. */
  readonly paint: number
}

export const SLOW_NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
}
export const SLOWER_PROCESSOR = { rate: 4 }

/** First visits to the sign-in page, each with an empty cache. On a phone, network and processor are slow. */
export async function visits(
  open: Open,
  count: number,
  options: BrowserContextOptions,
  scripts: 'as served' | 'early' | 'late' = 'as served',
): Promise<Visit[]> {
  const all: Visit[] = []
  for (let visit = 0; visit < count; visit++) {
    await using context = await open(options)
    if (scripts !== 'as served') await rewrite(context, scripts)
    all.push(await visitOnce(await context.newPage(), options.isMobile === true))
  }
  return all
}

/** Both ways through the same hands; late ones are not named in the document, so each is asked for by the one before. */
async function rewrite(context: BrowserContext, scripts: 'early' | 'late'): Promise<void> {
  await context.route('**/sign-in', async (route) => {
    const response = await route.fetch()
    const body = await response.text()
    const late = body.replaceAll(/<link rel="modulepreload"[^>]*>/g, '')
    await route.fulfill({ response, body: scripts === 'late' ? late : body })
  })
}

async function visitOnce(page: Page, isSlow: boolean): Promise<Visit> {
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
