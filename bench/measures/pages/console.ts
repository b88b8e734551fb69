import type { Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'

const LISTS = ['/console/users', '/console/feedback', '/console/shards'] as const
const ROWS = 'main table tbody tr'
const PATIENCE_MILLISECONDS = 30_000

/** From clicking a navigation link to the frame that shows the list with its rows. */
export async function clickThrough(page: Page, rounds: number) {
  const clicks = LISTS.map((path) => ({ path, milliseconds: [] as number[] }))
  await page.goto('/console')
  await page.getByRole('heading', { name: en.overview.title }).waitFor()
  for (let round = 0; round < rounds; round++) {
    for (const { path, milliseconds } of clicks) {
      const link = page.locator(`nav a[href="${path}"]`).first()
      await page.evaluate(fromClick(path))
      await link.click()
      milliseconds.push(await page.evaluate<number>('globalThis.shown'))
    }
  }
  return clicks
}

/** The address changes with the click and the title with the page, which then shows rows or a place for them. */
const fromClick = (path: string) => `void (globalThis.shown = new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error('${path} has shown no rows')), ${PATIENCE_MILLISECONDS})
  const before = document.title
  addEventListener('click', ({ timeStamp }) => {
    const isShown = () => location.pathname === '${path}' && document.title !== before &&
      document.querySelector('${ROWS}') && !document.querySelector('main [aria-label=${en.common.loading}]')
    const look = () => requestAnimationFrame(() => isShown()
      ? requestAnimationFrame(() => resolve(performance.now() - timeStamp))
      : look())
    look()
  }, { once: true, capture: true })
}))`

/** The length of each long task while someone pages through all users. */
export async function turnPages(page: Page, size: number, turns: number): Promise<number[]> {
  await page.goto(`/console/users?size=${size}`)
  await page.locator(ROWS).first().waitFor()
  await page.evaluate(`{
    globalThis.long = []
    new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: 'longtask' })
  }`)
  for (let turn = 1; turn <= turns; turn++) {
    await page.getByRole('button', { name: en.common.next }).click()
    await page.getByText(`${(turn * size + 1).toLocaleString('en')}–`).waitFor()
  }
  return page.evaluate<number[]>('globalThis.long')
}
