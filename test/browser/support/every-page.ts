import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { assertAccessible } from './accessible.ts'
import { faultsByKeyboard } from './keyboard.ts'

/** The narrowest phone, most phones, and a screen of 1280 pixels at 200 %. */
const WIDTHS = [320, 390, 640]
const PHONE = { width: 390, height: 844 }
const PATIENCE_MILLISECONDS = 60_000

const viewport = { width: 1280, height: 832 }

/** The ways in which a reader has set up the browser. The first one also walks through each page by keyboard. */
export const READERS = {
  'in light, and can be used by keyboard in forced colours': {
    texts: en,
    looks: { colorScheme: 'light', locale: 'en-US', viewport },
    hasKeyboardOnly: true,
  },
  'in dark and in Chinese': {
    texts: zh,
    looks: { colorScheme: 'dark', locale: 'zh-CN', viewport },
    hasKeyboardOnly: false,
  },
} as const

/** The faults of pages, in what is shown and in their titles. */
export async function faultsOf(page: Page, paths: readonly string[], hasKeyboardOnly: boolean): Promise<string[]> {
  const faults: string[] = []
  const titled = new Map<string, string>()
  for (const path of paths) {
    await page.goto(path, { waitUntil: 'networkidle' })
    faults.push(...(await faultsInView(page, path, hasKeyboardOnly)))
    faults.push(...sharedTitle(titled, path, await page.title()))
  }
  return faults
}

/** The faults of what is shown now, under the name that the report gives it. */
export async function faultsInView(page: Page, name: string, hasKeyboardOnly: boolean): Promise<string[]> {
  await assertAccessible(page)
  const before = page.viewportSize() ?? PHONE
  await page.setViewportSize(PHONE)
  await assertAccessible(page)
  await page.setViewportSize(before)
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

/** The widths at which a page would scroll sideways. */
export async function sidewaysWidths(page: Page): Promise<readonly number[]> {
  const before = page.viewportSize() ?? assert.fail('the page has a size')
  const pushed: number[] = []
  for (const width of [...WIDTHS, before.width]) {
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
export const CAN_BE_TOO_NARROW = ':has(> main), :has([role=dialog]), [role=dialog] > *'
const FITS = `[document.documentElement, ...document.querySelectorAll('${CAN_BE_TOO_NARROW}')]
  .every(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)`
export const IS_STILL = `document.getAnimations().every((one) => one.playState !== 'running' ||
  Number(one.effect.getComputedTiming().activeDuration) <= 100)`
/** Arabic inside a line of ours, without a direction of its own. */
const IS_MIXED = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode())
    if (/[\\u0600-\\u06ff]/.test(texts.currentNode.data) && !texts.currentNode.parentElement.closest('[dir=auto], [aria-hidden], bdi, select, title'))
      return true
  return false
})()`
