import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, type Page, type Request } from '@playwright/test'
import { en } from '../../web/src/texts/en.ts'
import { zh } from '../../web/src/texts/zh.ts'
import { drawn, fillSignIn } from './support/acts.ts'
import { test } from './support/test.ts'

const assets = fileURLToPath(new URL('../../dist/web/assets', import.meta.url))
const firstLoadLimitBytes = 160_000

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

test.describe('every page', () => {
  test('loads less than 160 kB of compressed script, whichever is first', async ({ page, administrator }) => {
    const sizeOf = (scripts: readonly string[]) =>
      scripts.reduce((sum, path) => sum + gzipSync(readFileSync(join(assets, '..', path))).length, 0)

    const signIn = sizeOf(await scriptsOf(page, '/sign-in'))
    await fillSignIn(page, administrator.email, administrator.password)
    await expect(page.getByRole('heading', { name: en.overview.title, exact: true })).toBeVisible()
    const sizes = { '/sign-in': signIn }
    for (const path of entrances) Object.assign(sizes, { [path]: sizeOf(await scriptsOf(page, path)) })

    const heavy = Object.entries(sizes).filter(([, bytes]) => bytes === 0 || bytes > firstLoadLimitBytes)
    expect(heavy).toEqual([])
  })

  test('comes with at most 125 KB and 12 requests on the first visit to sign-in', async ({ page }) => {
    const network = await page.context().newCDPSession(page)
    await network.send('Network.enable')
    const sizes: number[] = []
    network.on('Network.loadingFinished', ({ encodedDataLength }) => sizes.push(encodedDataLength))

    const scripts = await scriptsOf(page, '/sign-in')
    await expect(page.getByRole('heading', { name: en.signIn.title })).toBeVisible()

    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    expect(bytes).toBeLessThanOrEqual(125 * 1024)
    expect(sizes.length).toBeLessThanOrEqual(12)
    const texts = scripts.filter((path) => /-(front|inside|console)-/.test(path))
    expect(texts).toEqual([expect.stringContaining('/en-front-')])
  })

  test('shows the support address at its foot', async ({ page, service, ann }) => {
    const support = page.getByRole('contentinfo').getByRole('link', { name: service.administrator.email })

    await page.goto('/sign-in')
    await expect(support).toBeVisible()
    await fillSignIn(page, ann.email, ann.password)
    await expect(page.getByRole('heading', { name: en.home.title('ann') })).toBeVisible()
    await expect(support).toBeVisible()
    await expect(support).toHaveAttribute('href', `mailto:${service.administrator.email}`)
  })

  test('speaks the browser’s language, and another one when chosen, also next time', async ({ openPage }) => {
    const page = await openPage({ locale: 'zh-CN' })

    await page.goto('/sign-in')
    await expect(page.getByRole('heading', { name: zh.signIn.title })).toBeVisible()
    await page.getByLabel(zh.common.language).selectOption('en')
    await expect(page.getByRole('heading', { name: en.signIn.title })).toBeVisible()
    await page.reload()
    await expect(page.getByRole('heading', { name: en.signIn.title })).toBeVisible()

    await expect(page.locator('html[lang=en]')).toBeVisible()
  })

  test('can be used by keyboard: the first stop skips to the content, a dialog keeps the focus', async ({
    enterAs,
    ann,
  }) => {
    const page = await enterAs(ann, '/settings/data')
    const opener = page.getByRole('button', { name: en.data.deleteAction })
    await expect(opener).toBeVisible()

    await page.reload()
    await expect(opener).toBeVisible()
    await drawn(page)
    await page.keyboard.press('Tab')
    await expect(page.locator(':focus')).toHaveText(en.common.skip)
    await opener.focus()
    await page.keyboard.press('Enter')
    await expect(page.locator('[role=dialog]:focus-within')).toBeVisible()
    for (let stop = 0; stop < 6; stop += 1) await page.keyboard.press('Tab')
    await expect(page.getByRole('dialog').locator(':focus')).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(opener).toBeFocused()
  })
})
