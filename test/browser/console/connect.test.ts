import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Locator } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'

const { connecting } = en
const PUBLIC = 'https://id.example.com'

async function isInView(place: Locator): Promise<boolean> {
  const [box, viewport] = [await place.boundingBox(), place.page().viewportSize()]
  assert.ok(box && viewport)
  return box.y >= 0 && box.y + box.height <= viewport.height
}

describe('the page "Connect a product"', () => {
  for (const width of [360, 1280]) {
    it(`covers no line with its copy buttons at ${width} pixels`, async () => {
      await using service = await startService()
      const { administrator } = await people(service)
      await using browser = await openBrowserSession(service)
      const page = await browser.openPage({ viewport: { width, height: 800 } })
      await page.goto('/console/connect')
      await fillSignIn(page, administrator.email, administrator.password)

      for (const name of [connecting.signIn, connecting.check, connecting.proxy, connecting.tool]) {
        const code = page.getByRole('region', { name, exact: true })
        await code.waitFor()
        const button = page.getByRole('button', { name: connecting.copy(name), exact: true })
        await button.waitFor()
        const [text, control] = [await code.boundingBox(), await button.boundingBox()]
        assert.ok(text && control)
        const isBeside = control.x >= text.x + text.width || control.y >= text.y + text.height
        assert.ok(isBeside, `${name}: ${JSON.stringify({ text, control })}`)
      }
      assert.deepEqual(browser.complaints, [])
    })
  }

  it('is opened by the first hour at the command-line client, which takes the focus', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ viewport: { width: 1280, height: 500 } })
    await page.goto('/console')
    await fillSignIn(page, administrator.email, administrator.password)

    await page.getByRole('link', { name: en.firstHour.client }).click()
    const place = page.getByRole('heading', { name: connecting.tool })
    await place.and(page.locator(':focus')).waitFor()

    assert.ok(await isInView(place))
    await page.reload()
    await place.and(page.locator(':focus')).waitFor()
    assert.ok(await isInView(place))
    assert.deepEqual(browser.complaints, [])
  })

  it('shows the public address, at whatever address the console was opened', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const opened = await service.request('/console/connect')
    const body = (await opened.text()).replace(`"public_url":"${browser.origin}"`, `"public_url":"${PUBLIC}"`)
    const headers = Object.fromEntries(opened.headers)
    await page.route('**/console/connect', (route) => route.fulfill({ headers, body }))
    await page.goto('/sign-in')
    await fillSignIn(page, administrator.email, administrator.password)
    await page.waitForURL('/')

    await page.goto('/console/connect')

    for (const name of [
      connecting.signIn,
      connecting.check,
      connecting.proxy,
      connecting.openId,
      connecting.tool,
    ]) {
      const code = (await page.getByRole('region', { name, exact: true }).textContent()) ?? ''
      assert.ok(code.includes(PUBLIC), code)
      assert.ok(!code.includes(browser.origin), code)
    }
  })

  it('lists every origin that sign-in can return to, those of the deployment too', async () => {
    await using service = await startService({ env: { TRUSTED_ORIGINS: 'https://trusted.example.com' } })
    const { administrator } = await people(service)
    await administrator.saveSettings('brand', { return_origins: ['https://app.example.com'] })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console/connect')
    await fillSignIn(page, administrator.email, administrator.password)

    const line = page.getByText(`${connecting.origins}:`)
    await line.waitFor()

    assert.match(
      (await line.textContent()) ?? '',
      /https:\/\/app\.example\.com, https:\/\/trusted\.example\.com/,
    )
  })
})
