import type { Page, Route } from 'playwright-core'
import { effectsRun } from './acts.ts'

const limitMilliseconds = 120_000

/**
 * Notes everything that can be clicked and was moved by something that arrived later. A part of the page that moves
 * counts if something in it could be clicked in an earlier frame.
 */
export const NOTE_SHIFTS = `
  window.moved = []
  const clickable = 'a[href], button, input, select, textarea, summary'
  const shownSince = new WeakMap()
  const frames = []
  const lookAround = (now) => {
    frames.push(now)
    for (const one of document.querySelectorAll(clickable)) if (!shownSince.has(one)) shownSince.set(one, now)
    requestAnimationFrame(lookAround)
  }
  requestAnimationFrame(lookAround)
  new PerformanceObserver((list) => {
    for (const { startTime, sources } of list.getEntries()) {
      const frame = frames.findLast((begun) => begun <= startTime)
      for (const { node, previousRect: from, currentRect: to } of sources) {
        const element = node instanceof Element ? node : node?.parentElement
        if (!element || from.width === 0 || to.width === 0) continue
        const shown = [element.closest(clickable), ...element.querySelectorAll(clickable)]
          .find((one) => one && shownSince.get(one) < frame)
        if (shown) moved.push('from ' + [from.x, from.y] + ' to ' + [to.x, to.y] + ': ' + shown.outerHTML.slice(0, 200))
      }
    }
  }).observe({ type: 'layout-shift', buffered: true })
`

/** Settled once nothing is loading and nothing more was requested for some frames. */
const quietRounds = 4
const IS_DRAWN = `document.querySelector('h1') !== null && document.querySelector('main .animate-pulse') === null`

/**
 * What moved on a page that has `NOTE_SHIFTS`. Its responses come one by one, each after the page has drawn what came
 * before, so that each can move what is there.
 */
export async function movedWhileLoading(
  page: Page,
  path: string,
  next: 'oldest' | 'newest',
): Promise<string[]> {
  const held: Route[] = []
  await page.goto('about:blank')
  await page.route('**/api/**', (route) => {
    held.push(route)
  })
  await page.goto(path)
  const until = Date.now() + limitMilliseconds
  for (let quiet = 0; quiet < quietRounds; ) {
    if (Date.now() > until) throw new Error(`${path} is not drawn after ${limitMilliseconds} ms`)
    const route = takeNext(held, next)
    if (route) await release(route)
    await effectsRun(page)
    quiet = !route && (await page.evaluate<boolean>(IS_DRAWN)) ? quiet + 1 : 0
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  return page.evaluate<string[]>('moved')
}

/** The session is first: without it there is no page. */
function takeNext(held: Route[], next: 'oldest' | 'newest'): Route | undefined {
  const session = held.findIndex(
    (route) => new URL(route.request().url()).pathname === '/api/auth/get-session',
  )
  const at = session >= 0 ? session : next === 'oldest' ? 0 : held.length - 1
  return held.splice(at, 1)[0]
}

async function release(route: Route): Promise<void> {
  const request = route.request()
  // It stays open as long as the page.
  if (new URL(request.url()).pathname === '/api/live') return
  await route.continue()
  const response = await request.response()
  await response?.finished()
}
