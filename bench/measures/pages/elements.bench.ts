import { once } from 'node:events'
import { createServer } from 'node:http'
import { type Browser, chromium } from 'playwright-core'
import { findChromium } from '../../../test/browser/support/chromium.ts'
import { freePort } from '../../../test/processes/free-port.ts'
import { atMost, type Measure, median, round } from '../../load/measure.ts'
import { insertPeople, preparedFolder, sessionToken, startOurs } from '../../ours.ts'
import { SLOW_NETWORK, SLOWER_PROCESSOR } from './visits.ts'

/** A single paint varies by a frame or two, so there are more visits than rounds. */
const VISITS_OF_A_ROUND = 3
const PARAGRAPHS = 60

/** The same page of a product with the tag and without, in turn, each visit with an empty cache. */
export const measure: Measure = {
  title: 'A product’s page on a slow phone, with the elements and without',
  async run({ rounds }) {
    await using folder = await preparedFolder()
    insertPeople(folder, 1)
    const port = await freePort()
    const product = `http://127.0.0.1:${port}`
    await using server = await startOurs(folder, { TRUSTED_ORIGINS: product })
    const gatehouse = `http://127.0.0.1:${server.port}`
    await using _pages = await serving(port, gatehouse)
    const { executablePath, env } = await findChromium()
    const browser = await chromium.launch({
      executablePath,
      env: { ...process.env, ...env },
      args: ['--no-sandbox', '--disable-gpu'],
    })
    await using _ = { [Symbol.asyncDispose]: () => browser.close() }
    const paints: { readonly with: Paints; readonly without: Paints }[] = []
    for (let visit = -1; visit < rounds * VISITS_OF_A_ROUND; visit++) {
      const without = await paintsOf(browser, `${product}/without`)
      const pair = { with: await paintsOf(browser, `${product}/with`), without }
      if (visit >= 0) paints.push(pair)
    }
    const of = (side: 'with' | 'without', paint: keyof Paints) => median(paints.map((pair) => pair[side][paint]))
    const later = (paint: keyof Paints) => round(of('with', paint) - of('without', paint))
    return {
      ratios: [
        atMost('first paint later by, median', later('first'), 20, 'ms'),
        atMost('largest paint later by, median', later('largest'), 20, 'ms'),
      ],
      figures: (['without', 'with'] as const).map((side) => ({
        what: `${side} the elements`,
        'first paint ms': round(of(side, 'first')),
        'largest paint ms': round(of(side, 'largest')),
        'lowest to highest': rangeOf(paints.map((pair) => pair[side].first)),
      })),
    }
  },
}

interface Paints {
  readonly first: number
  readonly largest: number
}

const rangeOf = (values: readonly number[]) => [Math.min(...values), Math.max(...values)].map(round).join(' to ')

async function paintsOf(browser: Browser, address: string): Promise<Paints> {
  await using context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true })
  await context.addCookies([{ name: 'session', value: sessionToken(0), url: address }])
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', SLOW_NETWORK)
  await devtools.send('Emulation.setCPUThrottlingRate', SLOWER_PROCESSOR)
  // With the elements the network is never idle: their stream stays open.
  await page.goto(address)
  if (address.endsWith('/with')) await page.getByRole('button', { name: /Your account/ }).waitFor()
  return await page.evaluate<Paints>(PAINTS)
}

const PAINTS = `new Promise((resolve) => new PerformanceObserver((list) => resolve({
  first: performance.getEntriesByName('first-contentful-paint')[0].startTime,
  largest: list.getEntries().at(-1).startTime,
})).observe({ type: 'largest-contentful-paint', buffered: true }))`

/** With a style sheet, for which a browser waits before it paints. */
async function serving(port: number, gatehouse: string) {
  const text = '<p>What a product has to say about itself, at the length that people read.</p>'.repeat(PARAGRAPHS)
  const tag = `<script type="module" src="${gatehouse}/elements.js"></script>`
  const elements =
    '<gatehouse-user></gatehouse-user><gatehouse-notifications></gatehouse-notifications><gatehouse-feedback></gatehouse-feedback>'
  const page = (head: string, body: string) =>
    `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Product</title>
     <link rel="stylesheet" href="/style.css">${head}<header>${body}</header><h1>Product</h1>${text}</html>`
  const files: Readonly<Record<string, readonly [string, string]>> = {
    '/with': ['text/html', page(tag, elements)],
    '/without': ['text/html', page('', '')],
    '/style.css': ['text/css', `${'/* as long as styles are */'.repeat(1_000)} body { font: 16px/1.5 sans-serif }`],
  }
  const server = createServer(({ url = '' }, response) => {
    const [type, body] = files[url] ?? ['text/plain', '']
    response.setHeader('content-type', type)
    response.end(body)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
