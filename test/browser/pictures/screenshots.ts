import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions, Page, ViewportSize } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { startDevice } from '../../service/grants.ts'
import { type Person, people, stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { fillSignIn } from '../support/acts.ts'
import { ORIGIN, openFront } from '../support/front.ts'
import { shootComponents } from './components.ts'
import { days, furnish } from './furnish.ts'
import { shootLetters } from './letters.ts'
import { before, inside, ofConsole, type View } from './views.ts'

// Every page as a user sees it, into `screenshots/`. With an argument, only pictures whose name contains it.
const folder = fileURLToPath(new URL('../../../screenshots', import.meta.url))
const [wanted = ''] = process.argv.slice(2)
const wide = { width: 1280, height: 832 }
const phone = { width: 390, height: 844 }
const texts = { en, zh }
const ASKED = ['account:profile:read', 'operations:notifications:read', 'operations:feedback:write']

interface Look extends BrowserContextOptions {
  readonly locale: keyof typeof texts
  /** Every response is a 500, except those about the user and the installation. */
  readonly isFailing?: boolean
}

const usedLooks: Readonly<Record<string, Look>> = {
  'light-wide': { locale: 'en', colorScheme: 'light', viewport: wide },
  'dark-wide': { locale: 'en', colorScheme: 'dark', viewport: wide },
  'light-phone': { locale: 'en', colorScheme: 'light', viewport: phone },
  'dark-phone': { locale: 'en', colorScheme: 'dark', viewport: phone },
  'zh-light-wide': { locale: 'zh', colorScheme: 'light', viewport: wide },
  'zh-dark-phone': { locale: 'zh', colorScheme: 'dark', viewport: phone },
  'failing-light-wide': { locale: 'en', colorScheme: 'light', viewport: wide, isFailing: true },
  'failing-dark-phone': { locale: 'en', colorScheme: 'dark', viewport: phone, isFailing: true },
}
const newLooks: Readonly<Record<string, Look>> = {
  'empty-light-wide': { locale: 'en', colorScheme: 'light', viewport: wide },
  'empty-dark-phone': { locale: 'en', colorScheme: 'dark', viewport: phone },
}

mkdirSync(folder, { recursive: true })
await using used = await startService()
await using front = await openFront()
used.clock.advance({ days: -days, milliseconds: Date.now() - used.clock.now() })
await shootService(used, await furnish(used), usedLooks)
await using fresh = await startService()
await shootService(fresh, await people(fresh), newLooks)

interface People {
  readonly administrator: Person
  readonly ann: Person
}

async function shootService(service: Service, who: People, looks: Readonly<Record<string, Look>>) {
  front.serve(service)
  for (const [look, { isFailing = false, ...options }] of Object.entries(looks)) {
    const open = async (person?: Person) => {
      const context = await front.browser.newContext({ baseURL: ORIGIN, reducedMotion: 'reduce', ...options })
      const page = await context.newPage()
      if (person) await signIn(page, person, options.locale)
      if (isFailing) await failEverything(page)
      return page
    }
    await shootAll(await open(), look, before)
    const { body: device } = await startDevice(stranger(service), ...ASKED)
    const consent = { name: 'consent', path: `/oauth/authorize?user_code=${device.user_code}` }
    await shootAll(await open(who.ann), look, [...inside, consent])
    const person = { name: 'console-person', path: `/console/users/${who.ann.id}` }
    await shootAll(await open(who.administrator), look, [...ofConsole, person])
    if (look.endsWith('-wide') && !look.includes('zh')) await shootOthers(await open(), look, who)
  }
}

async function shootOthers(page: Page, look: string, { administrator }: People): Promise<void> {
  if (look === 'light-wide' && 'letters'.includes(wanted)) {
    for (const language of Object.keys(texts)) await shootLetters(page, administrator, language, folder)
  }
  if (/^(light|dark)-/.test(look) && 'components'.includes(wanted)) await shootComponents(page, look, folder)
}

async function failEverything(page: Page): Promise<void> {
  const refusal = { code: 'INTERNAL_ERROR', message: 'INTERNAL_ERROR' }
  await page.route(/\/api\/(?!auth\/get-session|client_config|brand)/, (route) =>
    route.fulfill({ status: 500, json: refusal }),
  )
}

async function signIn(page: Page, { email, password }: Person, language: Look['locale']): Promise<void> {
  await page.goto('/sign-in?return_to=%2Fsettings%2Fnowhere')
  await fillSignIn(page, email, password, texts[language])
  await page.getByRole('heading', { name: texts[language].missing.title }).waitFor()
}

async function shootAll(page: Page, look: string, views: readonly View[]): Promise<void> {
  const viewport = page.viewportSize() ?? wide
  for (const { name, path } of views.filter((view) => `${view.name}-${look}`.includes(wanted))) {
    await page.goto(path)
    await page.locator('h1').first().waitFor()
    await page.waitForLoadState('networkidle')
    await page.locator('main .animate-pulse').first().waitFor({ state: 'detached' })
    if (name === 'console-settings-brand' && !look.startsWith('failing')) await letterShown(page, viewport)
    if (name === 'console-overview' && !look.startsWith('failing')) await firstHourShown(page, look)
    await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: true })
    await page.setViewportSize(viewport)
    process.stdout.write(`${name}-${look}.png\n`)
  }
  await page.context().close()
}

/** It appears after the figures, and no space is reserved for it. */
async function firstHourShown(page: Page, look: string): Promise<void> {
  const words = look.startsWith('zh') ? zh : en
  await page.getByRole('heading', { name: words.firstHour.title }).waitFor()
}

/** A frame out of view is not painted, so the whole page comes into view. */
async function letterShown(page: Page, { width, height }: ViewportSize): Promise<void> {
  await page.frameLocator('iframe').getByRole('heading').waitFor()
  const whole = await page.evaluate<number>('document.documentElement.scrollHeight')
  await page.setViewportSize({ width, height: Math.max(whole, height) })
}
