import type { Page, Request } from '@playwright/test'
import { drawn, effectsRun } from './acts.ts'

/** Keeps every control that is shown, and its place in the document. */
const NOTE_PLACES = `
  window.placeOf = (node) => {
    const { x, y } = node.getBoundingClientRect()
    return [x + scrollX, y + scrollY].map(Math.round).join()
  }
  window.noted = [...document.querySelectorAll('main :is(a[href], button, input, select, textarea, summary)')]
    .filter((node) => node.checkVisibility({ visibilityProperty: true }))
    .map((node) => ({ node, place: placeOf(node) }))
`
const MOVED = `noted
  .filter(({ node, place }) => node.isConnected && placeOf(node) !== place)
  .map(({ node, place }) => 'from ' + place + ' to ' + placeOf(node) + ': ' + node.outerHTML.slice(0, 200))`

/** The controls that one response moves when it is the last to arrive on a page. */
export async function movedByLast(page: Page, path: string, last: string): Promise<string[]> {
  const requested = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const isLast = (url: URL) => url.pathname === last
  await page.route(isLast, async (route) => {
    requested.resolve()
    await released.promise
    await route.continue()
  })
  const others = requestsOf(page, (url) => isLast(url) || url.pathname === '/api/live')
  await page.goto(path)
  await requested.promise
  await page.locator('h1').first().waitFor()
  await others.finished()
  await page.evaluate(NOTE_PLACES)
  released.resolve()
  await drawn(page)
  await others.finished()
  return page.evaluate<string[]>(MOVED)
}

/** The page has drawn what came, and nothing more was requested because of it. */
function requestsOf(page: Page, isIgnored: (url: URL) => boolean) {
  const open = new Set<Request>()
  let begun = 0
  page.on('request', (request) => {
    if (isIgnored(new URL(request.url()))) return
    begun += 1
    open.add(request)
  })
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  const finished = async () => {
    for (let seen = -1; open.size > 0 || seen !== begun; ) {
      seen = begun
      await effectsRun(page)
    }
  }
  return { finished }
}
