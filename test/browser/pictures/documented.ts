import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions } from '@playwright/test'
import { startDevice } from '../../service/grants.ts'
import { type Person, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { fillSignIn } from '../support/acts.ts'
import { ORIGIN, openFront } from '../support/front.ts'
import { days, furnish } from './furnish.ts'
import { shootLetters } from './letters.ts'

// The pictures of `docs/pictures`, with much data in them.
const folder = fileURLToPath(new URL('../../../docs/pictures', import.meta.url))
const WIDE = { width: 1280, height: 832 }
const PHONE = { width: 390, height: 844 }
const ASKED = ['account:profile:read', 'operations:notifications:read', 'operations:feedback:write']

await using service = await startService()
await using front = await openFront()
service.clock.advance({ days: -days, milliseconds: Date.now() - service.clock.now() })
const { administrator, ann } = await furnish(service)
front.serve(service)
const { body: device } = await startDevice(stranger(service), ...ASKED)

const DARK = { colorScheme: 'dark' } as const
const ON_PHONE = { viewport: PHONE } as const

type Picture = readonly [name: string, path: string, who?: Person | undefined, looks?: BrowserContextOptions]

const PICTURES: readonly Picture[] = [
  ['sign-in', '/sign-in'],
  ['sign-up', '/sign-up', undefined, { ...ON_PHONE, ...DARK }],
  ['consent', `/oauth/authorize?user_code=${device.user_code}`, ann, ON_PHONE],
  ['security', '/settings/security', ann],
  ['console', '/console', administrator],
  ['users', '/console/users', administrator],
  ['users-phone', '/console/users?search=an', administrator, { ...ON_PHONE, ...DARK }],
  ['person', `/console/users/${ann.id}`, administrator],
  ['audit', '/console/audit?page=2', administrator],
  ['feedback', '/console/feedback', administrator, DARK],
  ['email', '/console/settings/email', administrator],
  ['brand', '/console/settings/brand', administrator],
]

for (const [name, path, who, looks] of PICTURES) {
  const context = await front.browser.newContext({
    ...{ baseURL: ORIGIN, reducedMotion: 'reduce', locale: 'en', viewport: WIDE, ...looks },
  })
  const page = await context.newPage()
  await page.goto(who ? `/sign-in?next=${encodeURIComponent(path)}` : path)
  if (who) await fillSignIn(page, who.email, who.password)
  await page.waitForURL((url) => url.pathname !== '/sign-in' || path === '/sign-in')
  await page.locator('h1').first().waitFor()
  await page.waitForLoadState('networkidle')
  await page.locator('main .animate-pulse').first().waitFor({ state: 'detached' })
  const isList = ['users', 'users-phone', 'audit'].includes(name)
  if (name === 'brand') await page.setViewportSize({ ...WIDE, height: 1600 })
  if (name === 'brand') await page.frameLocator('iframe').getByRole('heading').waitFor()
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: !isList })
  process.stdout.write(`${name}.png\n`)
  await context.close()
}
const sheet = await front.browser.newPage()
for (const language of ['en', 'zh']) await shootLetters(sheet, administrator, language, folder)
