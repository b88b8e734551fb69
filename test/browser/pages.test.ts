import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Page, Request } from 'playwright-core'
import { en } from '../../web/src/texts/en.ts'
import { zh } from '../../web/src/texts/zh.ts'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { assertAccessible } from './support/accessible.ts'
import { anyWords, drawn, fillSignIn } from './support/acts.ts'
import { openBrowserSession } from './support/browser-session.ts'

const assets = fileURLToPath(new URL('../../dist/web/assets', import.meta.url))
const firstLoadLimitBytes = 150_000

const before = [
  '/sign-in',
  '/sign-up',
  '/verify',
  '/verify?email=ann@example.com',
  '/forgot',
  '/reset?email=a@b.io',
]
const inside = [
  '/',
  '/notifications',
  '/feedback',
  '/settings',
  '/settings/password',
  '/settings/accounts',
  '/settings/sessions',
  '/settings/access',
  '/settings/data',
  '/oauth/authorize',
  '/settings/nowhere',
]

async function lookAt(page: Page, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await page.goto(path, { waitUntil: 'networkidle' })
    await assertAccessible(page)
  }
}

const entrances = ['/', '/notifications', '/settings', '/settings/access', '/oauth/authorize', '/console']

/** The scripts that a page has loaded until it is quiet, each once: fetched ahead, it comes from the cache later. */
async function scriptsOf(page: Page, path: string): Promise<readonly string[]> {
  const scripts = new Set<string>()
  const note = (request: Request) => {
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('.js')) scripts.add(pathname)
  }
  page.on('request', note)
  await page.goto(path, { waitUntil: 'networkidle' })
  await drawn(page)
  page.off('request', note)
  return [...scripts]
}

describe('every page', () => {
  const looks = {
    'in light on a wide screen': { colorScheme: 'light' },
    'in dark on a phone': { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  } as const
  for (const [look, options] of Object.entries(looks)) {
    it(`passes axe ${look}, and the browser reports no error`, async () => {
      await using service = await startService()
      const { ann } = await people(service)
      await using browser = await openBrowserSession(service)
      const page = await browser.openPage(options)

      await lookAt(page, before)
      await page.goto('/sign-in')
      await fillSignIn(page, ann.email, ann.password)
      await page.getByRole('heading', { name: en.home.title('ann') }).waitFor()
      await lookAt(page, inside)

      assert.deepEqual(browser.complaints, [])
    })
  }

  it('loads less than 150 kB of compressed script, whichever page comes first', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const sizeOf = (scripts: readonly string[]) =>
      scripts.reduce((sum, path) => sum + gzipSync(readFileSync(join(assets, '..', path))).length, 0)

    const signIn = sizeOf(await scriptsOf(page, '/sign-in'))
    await fillSignIn(page, administrator.email, administrator.password)
    await page.getByRole('heading', { name: anyWords(en.home.title) }).waitFor()
    const sizes = { '/sign-in': signIn }
    for (const path of entrances) Object.assign(sizes, { [path]: sizeOf(await scriptsOf(page, path)) })

    const heavy = Object.entries(sizes).filter(([, bytes]) => bytes === 0 || bytes > firstLoadLimitBytes)
    assert.deepEqual(heavy, [])
  })

  it('comes with at most 110 KB and 12 requests on the first visit to sign-in', async () => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const network = await page.context().newCDPSession(page)
    await network.send('Network.enable')
    const sizes: number[] = []
    network.on('Network.loadingFinished', ({ encodedDataLength }) => sizes.push(encodedDataLength))

    const scripts = await scriptsOf(page, '/sign-in')
    await page.getByRole('heading', { name: en.signIn.title }).waitFor()

    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(bytes <= 110 * 1024, `${bytes} bytes`)
    assert.ok(sizes.length <= 12, `${sizes.length} requests`)
    const texts = scripts.filter((path) => /-(front|inside|console)-/.test(path))
    assert.ok(texts.length === 1 && texts[0]?.includes('/en-front-'), `the texts in ${texts.join()}`)
  })

  it('shows the support address at its foot', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const support = page.getByRole('contentinfo').getByRole('link', { name: service.administrator.email })

    await page.goto('/sign-in')
    await support.waitFor()
    await fillSignIn(page, ann.email, ann.password)
    await page.getByRole('heading', { name: en.home.title('ann') }).waitFor()
    await support.waitFor()

    assert.equal(await support.getAttribute('href'), `mailto:${service.administrator.email}`)
  })

  it('carries no server code', () => {
    const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'))
    const strays = scripts.filter((name) =>
      /kysely|node:sqlite|oauth4webapi|pbkdf2/i.test(readFileSync(join(assets, name), 'utf8')),
    )

    assert.deepEqual(strays, [])
  })

  it('speaks the browser’s language, and another one when chosen, also next time', async () => {
    await using service = await startService()
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ locale: 'zh-CN' })

    await page.goto('/sign-in')
    await page.getByRole('heading', { name: zh.signIn.title }).waitFor()
    await page.getByLabel(zh.common.language).selectOption('en')
    await page.getByRole('heading', { name: en.signIn.title }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: en.signIn.title }).waitFor()

    await page.locator('html[lang=en]').waitFor()
  })

  it('can be used by keyboard alone: the first stop skips to the content, a dialog keeps and returns the focus', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/settings/data')
    await fillSignIn(page, ann.email, ann.password)
    const opener = page.getByRole('button', { name: en.data.deleteAction })
    await opener.waitFor()

    await page.reload()
    await opener.waitFor()
    await drawn(page)
    await page.keyboard.press('Tab')
    const first = await page.locator(':focus').textContent()
    await opener.focus()
    await page.keyboard.press('Enter')
    await page.locator('[role=dialog]:focus-within').waitFor()
    for (let stop = 0; stop < 6; stop += 1) await page.keyboard.press('Tab')
    const isInside = await page.getByRole('dialog').locator(':focus').count()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    assert.equal(first, en.common.skip)
    assert.equal(isInside, 1)
    await opener.and(page.locator(':focus')).waitFor()
  })

  it('a lost connection is shown, nothing typed is lost, and the page recovers', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/feedback')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByLabel(en.feedback.content).fill('A wish')

    await page.context().setOffline(true)
    await page.getByRole('button', { name: en.feedback.submit }).click()
    await page.getByText(en.connection.lost).waitFor()
    await page.getByText(en.failures.NETWORK).waitFor()
    await page.context().setOffline(false)
    await page.getByText(en.connection.lost).waitFor({ state: 'detached' })
    const kept = await page.getByLabel(en.feedback.content).inputValue()
    await page.getByRole('button', { name: en.feedback.submit }).click()
    await page.getByText(en.feedback.sentTitle).waitFor()

    assert.equal(kept, 'A wish')
  })
})
