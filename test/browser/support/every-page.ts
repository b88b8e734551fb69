import assert from 'node:assert/strict'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { type Person, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from './accessible.ts'
import { anyWords, fillSignIn } from './acts.ts'
import { openBrowserSession } from './browser-session.ts'
import { CONSOLE, FRONT, INSIDE } from './paths.ts'

const longWord = 'drawbridge'.repeat(1_000)
const arabic = 'الجسر المتحرك يصدر صريرا (جدا)'

/** The narrowest phone, and a screen of 1280 pixels at 200 %. */
const WIDTHS = [320, 640]
const PATIENCE_MILLISECONDS = 60_000

/** Every page holds what people write at its worst, and no page is broken by it or hard to use. */
export async function lookAtEveryPage(colorScheme: 'light' | 'dark'): Promise<void> {
  await using service = await startService()
  const { administrator, ann } = await people(service)
  await fill(administrator, ann)
  await using browser = await openBrowserSession(service)
  const options: BrowserContextOptions = { colorScheme, viewport: { width: 1280, height: 832 } }
  const page = await browser.openPage(options)

  const faults = await faultsOf(page, FRONT)
  await page.goto('/sign-in')
  await fillSignIn(page, administrator.email, administrator.password)
  await page.getByRole('heading', { name: anyWords(en.home.title) }).waitFor()
  faults.push(...(await faultsOf(page, [...INSIDE, ...CONSOLE])))

  assert.deepEqual(faults, [])
  assert.deepEqual(browser.complaints, [])
}

async function fill(administrator: Person, ann: Person): Promise<void> {
  const answers = [
    await ann.post('/api/auth/update-user', { name: longWord.slice(0, 200) }),
    await administrator.post('/api/auth/update-user', { name: arabic }),
    await ann.post('/api/submit_feedback', { type: 'idea', content: longWord }),
    await ann.post('/api/submit_feedback', { type: 'idea', content: arabic }),
    await administrator.post('/api/admin/create_notification', { title: arabic, content: longWord }),
    await administrator.post('/api/admin/create_notification', {
      title: longWord.slice(0, 200),
      content: arabic,
    }),
  ]
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
}

async function faultsOf(page: Page, paths: readonly string[]): Promise<string[]> {
  const faults: string[] = []
  for (const path of paths) {
    await page.goto(path, { waitUntil: 'networkidle' })
    await assertAccessible(page)
    const pushed = await sidewaysWidths(page)
    if (pushed.length > 0) faults.push(`${path} is pushed sideways at ${pushed.join()} pixels`)
    if (!(await comesTo(page, IS_STILL))) faults.push(`${path} moves though the reader asked for no motion`)
  }
  return faults
}

/** At which of the narrow widths a page would scroll sideways. */
export async function sidewaysWidths(page: Page): Promise<readonly number[]> {
  const before = page.viewportSize() ?? assert.fail('the page has a size')
  const pushed: number[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: before.height })
    if (!(await comesTo(page, FITS))) pushed.push(width)
  }
  await page.setViewportSize(before)
  return pushed
}

/** A page is drawn anew for another width a moment after it has it. */
async function comesTo(page: Page, state: string): Promise<boolean> {
  const giveUpAt = performance.now() + PATIENCE_MILLISECONDS
  const look = `new Promise((resolve) => requestAnimationFrame(() => resolve(${state})))`
  while (!(await page.evaluate<boolean>(look))) if (performance.now() > giveUpAt) return false
  return true
}

const FITS = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth'
const IS_STILL = `document.getAnimations().every((one) => one.playState !== 'running' ||
  Number(one.effect.getComputedTiming().activeDuration) <= 100)`
