import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { assertAccessible } from '../support/accessible.ts'
import { fillSignIn } from '../support/acts.ts'
import { test } from '../support/test.ts'

const PRODUCT = 'https://app.example.com'

test.describe('sign-in that returns to a product', () => {
  test.beforeEach(async ({ administrator }) => {
    await administrator.saveSettings('brand', { return_origins: [PRODUCT] })
  })

  test('goes to an allowed product with the whole address, and nowhere else', async ({ page, ann }) => {
    await serveProduct(page, '<h1>Orders</h1>')
    const order = `${PRODUCT}/orders?from=1&to=2#last`

    await page.goto(`/sign-in?${new URLSearchParams({ return_to: order })}`)
    await fillSignIn(page, ann.email, ann.password)
    await expect(page.getByRole('heading', { name: 'Orders' })).toBeVisible()
    await expect(page).toHaveURL(order)
    await page.goto('/return?to=https://evil.example/')
    await expect(page.getByRole('heading', { name: en.returning.foreignTitle })).toBeVisible()
    await assertAccessible(page)
    await expect(page.locator('a[href*="evil"]')).toHaveCount(0)
  })

  test('does not loop with a product that sends visitors straight back', async ({ page, service, ann }) => {
    const address = `${service.config.baseUrl}/sign-in?return_to=${PRODUCT}/`
    await serveProduct(page, `<script>location.replace(${JSON.stringify(address)})</script>`)

    await page.goto(address)
    await fillSignIn(page, ann.email, ann.password)
    await expect(page.getByText(en.returning.againElsewhere('app.example.com'))).toBeVisible()
    await expect(page.getByRole('link', { name: en.returning.submit('app.example.com') })).toBeVisible()
    await assertAccessible(page)
  })
})

async function serveProduct(page: Page, body: string): Promise<void> {
  await page.context().route(`${PRODUCT}/**`, (route) => route.fulfill({ contentType: 'text/html', body }))
}
