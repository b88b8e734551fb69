import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { enableProvider } from '../../providers/journey.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { grantFor, startDevice } from '../../service/grants.ts'
import { Person, people, stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { anyWords, fillSignIn } from './acts.ts'
import { TestBrowser } from './test-browser.ts'

// Every page as a person sees it, into `screenshots/`. An argument keeps to the pages whose name holds it.
const folder = fileURLToPath(new URL('../../../screenshots', import.meta.url))
const [wanted = ''] = process.argv.slice(2)

interface View {
  readonly name: string
  readonly path: string
}

const before: readonly View[] = [
  { name: 'sign-in', path: '/sign-in' },
  { name: 'sign-up', path: '/sign-up' },
  { name: 'verify', path: '/verify?email=ann%40example.com' },
  { name: 'forgot', path: '/forgot' },
  { name: 'reset', path: '/reset?email=ann%40example.com' },
]

const inside: readonly View[] = [
  { name: 'home', path: '/' },
  { name: 'notifications', path: '/notifications' },
  { name: 'feedback', path: '/feedback' },
  { name: 'settings-profile', path: '/settings' },
  { name: 'settings-password', path: '/settings/password' },
  { name: 'settings-accounts', path: '/settings/accounts' },
  { name: 'settings-sessions', path: '/settings/sessions' },
  { name: 'settings-access', path: '/settings/access' },
  { name: 'settings-data', path: '/settings/data' },
  { name: 'beta', path: '/beta' },
  { name: 'authorize', path: '/oauth/authorize' },
  { name: 'nowhere', path: '/settings/nowhere' },
]

const ofConsole: readonly View[] = [
  { name: 'console-overview', path: '/console' },
  { name: 'console-settings', path: '/console/settings' },
  { name: 'console-settings-email', path: '/console/settings/email' },
  { name: 'console-feedback', path: '/console/feedback' },
  { name: 'console-notifications', path: '/console/notifications' },
  { name: 'console-users', path: '/console/users' },
  { name: 'console-invite', path: '/console/users?open=new' },
  { name: 'console-applications', path: '/console/applications' },
  { name: 'console-webhooks', path: '/console/webhooks' },
  { name: 'console-connect', path: '/console/connect' },
  { name: 'console-settings-brand', path: '/console/settings/brand' },
  { name: 'console-beta-codes', path: '/console/beta-codes' },
  { name: 'console-shards', path: '/console/shards' },
  { name: 'console-audit', path: '/console/audit' },
]

const looks: Readonly<Record<string, BrowserContextOptions>> = {
  'light-wide': { colorScheme: 'light', viewport: { width: 1280, height: 832 } },
  'dark-wide': { colorScheme: 'dark', viewport: { width: 1280, height: 832 } },
  'light-phone': { colorScheme: 'light', viewport: { width: 390, height: 844 } },
  'dark-phone': { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
}

const days = 12
const names = [
  'dora',
  'emil',
  'fay',
  'gus',
  'hana',
  'ivo',
  'june',
  'kofi',
  'lena',
  'milo',
  'nora',
  'otto',
  'pia',
]
/** On which day each of them came. */
const arrivals = [0, 0, 2, 3, 3, 3, 5, 7, 7, 9, 10, 10, 11]
const opinions = [
  { type: 'praise', content: 'Signing in from the terminal took ten seconds. Lovely.' },
  { type: 'problem', content: 'On my phone the list of sessions jumps when I end one.' },
  { type: 'idea', content: 'A weekly summary of what my connected tools did would be useful.' },
  { type: 'other', content: 'May I move my account to the region where I live now?' },
  { type: 'problem', content: 'The code in the mail had run out before the mail arrived.' },
]
const notifications = [
  {
    title: 'Good to have you here',
    content: 'Settings is the place for your profile, your sessions and the tools that may act for you.',
  },
  {
    title: 'Dark mode has arrived',
    content: 'The pages follow your system now. Have a look, and tell us whether the contrast suits you.',
  },
  {
    title: 'Maintenance on Sunday',
    content:
      'From 02:00 to 02:20 UTC the service restarts for an update. Signing in may take a little longer.',
  },
]

mkdirSync(folder, { recursive: true })
await using service = await startService()
service.clock.advance({ days: -days, milliseconds: Date.now() - service.clock.now() })
const { administrator, ann } = await furnish(service)
await using chromium = await TestBrowser.launch(service.config.baseUrl)
await using browser = chromium.openSession(service)
for (const [look, options] of Object.entries(looks)) {
  const page = await browser.openPage(options)
  await shootAll(page, look, before)
  await signIn(page, ann)
  await shootAll(page, look, inside)
  const { body: device } = await startDevice(
    stranger(service),
    'account:profile:read',
    'operations:notifications:read',
    'operations:feedback:write',
  )
  await shootAll(page, look, [{ name: 'consent', path: `/oauth/authorize?user_code=${device.user_code}` }])
  await page.context().close()
  const desk = await browser.openPage(options)
  await signIn(desk, administrator)
  await shootAll(desk, look, [...ofConsole, { name: 'console-person', path: `/console/users/${ann.id}` }])
  await desk.context().close()
}

async function furnish(at: Service) {
  const everybody = await people(at)
  await changeSettings(at, 'email', { provider: 'outbox' })
  await enableProvider(at, 'provider_a')
  await enableProvider(at, 'provider_b')
  await everybody.administrator.post('/api/admin/generate_beta_codes', { count: 6 })
  for (let day = 0; day < days; day += 1) {
    for (const name of names.filter((_, index) => arrivals[index] === day)) {
      const newcomer = new Person(at, `${name}@example.com`, 'a lantern in the gateway')
      await newcomer.signUp()
      const opinion = opinions[names.length - 1 - names.indexOf(name)]
      if (opinion) await newcomer.post('/api/submit_feedback', opinion)
    }
    const notification = notifications[day - days + notifications.length]
    if (notification) await everybody.administrator.post('/api/admin/create_notification', notification)
    at.clock.advance({ days: 1 })
  }
  await grantFor(everybody.ann, 'account:profile:read', 'operations:notifications:read')
  await grantFor(everybody.ann, 'operations:feedback:write')
  return everybody
}

async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.goto('/sign-in')
  await fillSignIn(page, email, password)
  await page.getByRole('heading', { name: anyWords(en.home.title) }).waitFor()
}

async function shootAll(page: Page, look: string, views: readonly View[]): Promise<void> {
  for (const { name, path } of views.filter((view) => view.name.includes(wanted))) {
    await page.goto(path, { waitUntil: 'networkidle' })
    await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: true })
    process.stdout.write(`${name}-${look}.png\n`)
  }
}
