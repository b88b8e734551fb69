import assert from 'node:assert/strict'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { en, type Texts } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { startDevice } from '../../service/grants.ts'
import { type Person, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from './accessible.ts'
import { anyWords, fillSignIn } from './acts.ts'
import { openBrowserSession } from './browser-session.ts'
import { faultsByKeyboard } from './keyboard.ts'
import { CONSOLE, FRONT, INSIDE } from './paths.ts'

const longWord = 'drawbridge'.repeat(1_000)
const arabic = 'الجسر المتحرك يصدر صريرا (جدا)'
/** Characters that nobody sees. */
const withoutWidth = '\u200b\u202e\u2060'

/** The narrowest phone, and a screen of 1280 pixels at 200 %. */
const WIDTHS = [320, 640]
const PATIENCE_MILLISECONDS = 60_000

/** How a reader has set up the browser. */
export interface Reader {
  readonly colorScheme: 'light' | 'dark'
  readonly texts: Texts
  readonly locale: string
  /** Walks through each page by keyboard, in the colours of the system. */
  readonly hasKeyboardOnly: boolean
}

export const READERS = {
  light: { colorScheme: 'light', texts: en, locale: 'en-US', hasKeyboardOnly: true },
  dark: { colorScheme: 'dark', texts: zh, locale: 'zh-CN', hasKeyboardOnly: false },
} as const satisfies Record<string, Reader>

/** Every page contains the worst that users can write, and none is broken by it or hard to use. */
export async function lookAtEveryPage({
  colorScheme,
  texts,
  locale,
  hasKeyboardOnly,
}: Reader): Promise<void> {
  await using service = await startService()
  const { administrator, ann, ben } = await people(service)
  await fill(administrator, ann)
  await ben.post('/api/auth/update-user', { name: withoutWidth })
  await ben.post('/api/submit_feedback', { type: 'idea', content: withoutWidth })
  const { body: device } = await startDevice(stranger(service), 'account:profile:read', 'admin:users:write')
  await using browser = await openBrowserSession(service)
  const options: BrowserContextOptions = { colorScheme, locale, viewport: { width: 1280, height: 832 } }
  const page = await browser.openPage(options)

  const faults = await faultsOf(page, FRONT, hasKeyboardOnly)
  await page.goto('/sign-in')
  await fillSignIn(page, administrator.email, administrator.password, texts)
  await page.getByRole('heading', { name: anyWords(texts.home.title) }).waitFor()
  const made = [`/oauth/authorize?user_code=${device.user_code}`, `/console/users/${ann.id}`]
  faults.push(...(await faultsOf(page, [...INSIDE, ...CONSOLE, ...made], hasKeyboardOnly)))

  assert.deepEqual(faults, [])
  assert.deepEqual(browser.complaints, [])
}

async function fill(administrator: Person, ann: Person): Promise<void> {
  const answers = [
    await ann.post('/api/auth/update-user', { name: longWord.slice(0, 200) }),
    await administrator.post('/api/auth/update-user', { name: arabic }),
    await ann.post('/api/submit_feedback', { type: 'idea', content: longWord }),
    await ann.post('/api/submit_feedback', { type: 'idea', content: arabic }),
    await ann.post('/api/submit_feedback', { type: arabic, content: 'A wish' }),
    await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: arabic }),
    await administrator.post('/api/admin/create_application', {
      name: arabic,
      kind: 'browser',
      redirect_uris: ['https://app.example.com/back'],
    }),
    await administrator.post('/api/admin/declare_product_scope', {
      scope: 'product:bells:read',
      description: arabic,
    }),
    await administrator.post('/api/admin/declare_product_scope', {
      scope: 'product:bridges:write',
      description: longWord.slice(0, 200),
    }),
    await administrator.post('/api/create_personal_token', {
      name: arabic,
      scopes: ['account:profile:read'],
      expires_in_days: 30,
    }),
    await administrator.post('/api/admin/create_notification', {
      title: arabic,
      type: arabic,
      content: longWord,
    }),
    await administrator.post('/api/admin/create_notification', {
      title: longWord.slice(0, 200),
      content: arabic,
    }),
  ]
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
}

async function faultsOf(page: Page, paths: readonly string[], hasKeyboardOnly: boolean): Promise<string[]> {
  const faults: string[] = []
  const titled = new Map<string, string>()
  for (const path of paths) {
    await page.goto(path, { waitUntil: 'networkidle' })
    faults.push(...(await faultsInView(page, path, hasKeyboardOnly)))
    faults.push(...sharedTitle(titled, path, await page.title()))
  }
  return faults
}

/** Of what is shown now, under the name that the report gives it. */
export async function faultsInView(page: Page, name: string, hasKeyboardOnly: boolean): Promise<string[]> {
  await assertAccessible(page)
  const faults: string[] = []
  const pushed = await sidewaysWidths(page)
  if (pushed.length > 0) faults.push(`${name} is pushed sideways at ${pushed.join()} pixels`)
  if (!(await comesTo(page, IS_STILL))) faults.push(`${name} moves though the reader asked for no motion`)
  if (await page.evaluate<boolean>(IS_MIXED)) faults.push(`${name} does not isolate what people write`)
  if (hasKeyboardOnly) faults.push(...(await keyboardFaults(page, name)))
  return faults
}

/** Two pages with one title cannot be told apart among the browser's tabs. */
function sharedTitle(titled: Map<string, string>, path: string, title: string): readonly string[] {
  const [address = path] = path.split('?')
  const other = titled.get(title) ?? address
  titled.set(title, address)
  return other === address ? [] : [`${path} has the title of ${other}: ${title}`]
}

async function keyboardFaults(page: Page, path: string): Promise<string[]> {
  await page.emulateMedia({ forcedColors: 'active' })
  const faults = await faultsByKeyboard(page)
  await page.emulateMedia({ forcedColors: 'none' })
  return faults.map((fault) => `${path}: ${fault}`)
}

/** The narrow widths at which a page would scroll sideways. */
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

/** A page is rendered again for another width, a moment after it has it. */
async function comesTo(page: Page, state: string): Promise<boolean> {
  const giveUpAt = performance.now() + PATIENCE_MILLISECONDS
  const look = `new Promise((resolve) => requestAnimationFrame(() => resolve(${state})))`
  while (!(await page.evaluate<boolean>(look))) if (performance.now() > giveUpAt) return false
  return true
}

// A front page and the veil behind a dialog cut off what is too wide, and a dialog scrolls: the document stays narrow.
const CAN_BE_TOO_NARROW = ':has(> main), :has([role=dialog]), [role=dialog] > *'
const FITS = `[document.documentElement, ...document.querySelectorAll('${CAN_BE_TOO_NARROW}')]
  .every(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)`
const IS_STILL = `document.getAnimations().every((one) => one.playState !== 'running' ||
  Number(one.effect.getComputedTiming().activeDuration) <= 100)`
/** Arabic inside a line of ours, without a direction of its own. */
const IS_MIXED = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode())
    if (/[\\u0600-\\u06ff]/.test(texts.currentNode.data) && !texts.currentNode.parentElement.closest('[dir=auto], [aria-hidden], bdi, select, title'))
      return true
  return false
})()`
