import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { en } from '../../web/src/texts/en.ts'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { assertAccessible } from './support/accessible.ts'
import { fillSignIn } from './support/acts.ts'
import { openBrowserSession } from './support/browser-session.ts'

const PRODUCT = 'https://app.example.com'

describe('sign-in that returns to a product', () => {
  it('goes to an allowed product with the whole address, at once if already signed in, and nowhere else', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await administrator.saveSettings('brand', { return_origins: [PRODUCT] })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await serveProduct(page, '<h1>Orders</h1>')
    const order = `${PRODUCT}/orders?from=1&to=2#last`

    await page.goto(`/sign-in?${new URLSearchParams({ return_to: order })}`)
    await fillSignIn(page, ann.email, ann.password)
    await page.getByRole('heading', { name: 'Orders' }).waitFor()
    const first = page.url()
    await page.goto('/return?to=https://evil.example/')
    await page.getByRole('heading', { name: en.returning.foreignTitle }).waitFor()
    await assertAccessible(page)
    const links = await page.locator('a[href*="evil"]').count()

    assert.equal(first, order)
    assert.equal(links, 0)
    assert.deepEqual(browser.complaints, [])
  })

  it('does not loop with a product that sends the visitor straight back', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await administrator.saveSettings('brand', { return_origins: [PRODUCT] })
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    const signIn = `${service.config.baseUrl}/sign-in?return_to=${PRODUCT}/`
    await serveProduct(page, `<script>location.replace(${JSON.stringify(signIn)})</script>`)

    await page.goto(signIn)
    await fillSignIn(page, ann.email, ann.password)
    await page.getByText(en.returning.again('app.example.com')).waitFor()
    await page.getByRole('link', { name: en.returning.submit('app.example.com') }).waitFor()

    await assertAccessible(page)
  })
})

async function serveProduct(page: Page, body: string): Promise<void> {
  await page.context().route(`${PRODUCT}/**`, (route) => route.fulfill({ contentType: 'text/html', body }))
}
