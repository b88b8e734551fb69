import { expect } from '@playwright/test'
import { docsWords } from '../../src/http/documentation/docs-words.ts'
import { assertAccessible } from './support/accessible.ts'
import { test } from './support/test.ts'

test.describe('the API reference', () => {
  test('is searched, has code in the language that was chosen, and tries a route with the session at hand', async ({
    enterAs,
    administrator,
  }) => {
    await administrator.post('/api/admin/create_application', { name: 'Reports', kind: 'service' })
    const page = await enterAs(administrator, '/settings/data')
    await expect(page).toHaveURL('/settings/data')
    await page.goto('/api/docs')
    const articles = page.getByRole('article')
    const wanted = page.locator('#post_api_admin_list_applications')

    await page.keyboard.press('/')
    await expect(page.getByLabel(docsWords.search)).toBeFocused()
    await page.keyboard.type('list_applications')
    await expect(articles.filter({ visible: true })).toHaveCount(1)
    await expect(page.getByRole('status').filter({ hasText: docsWords.result })).toHaveCount(1)
    await expect(page.getByRole('navigation').getByRole('link')).toHaveText(['list_applications'])
    await page.getByRole('radio', { name: 'Python' }).check()
    await expect(wanted.getByText('import requests')).toBeVisible()
    await expect(wanted.getByText('curl ')).toBeHidden()
    await wanted.getByRole('button', { name: docsWords.tryIt }).press('Enter')
    await expect(wanted.getByLabel(docsWords.body)).toBeFocused()
    await wanted.getByLabel(docsWords.body).fill('{ "page_size": 5 }')
    await wanted.getByRole('button', { name: docsWords.send }).press('Enter')
    await expect(wanted.getByText(/^200 in /)).toBeVisible()
    await expect(wanted.getByText('"name": "Reports"')).toBeVisible()
    await assertAccessible(page)
    await wanted.getByRole('button', { name: docsWords.close }).press('Enter')
    await expect(wanted.getByRole('button', { name: docsWords.tryIt })).toBeFocused()

    await page.getByLabel(docsWords.search).fill('drawbridge')
    await page.getByRole('button', { name: docsWords.clear }).click()
    await expect(page.getByLabel(docsWords.search)).toBeFocused()
    await expect(articles.filter({ visible: true }).first()).toBeVisible()
    await expect(wanted).toBeHidden()
    await page.locator('nav summary', { hasText: 'Administration: applications' }).press('Enter')
    await expect(wanted).toBeVisible()
    await page.getByRole('link', { name: 'list_applications', exact: true }).click()
    await page.reload()
    await expect(wanted).toBeInViewport()
    await expect(page.getByRole('radio', { name: 'Python' })).toBeChecked()
  })

  test('begins on the first screen of a phone, below its areas in one line', async ({ openPage }) => {
    const page = await openPage({ viewport: { width: 390, height: 844 } })
    await page.goto('/api/docs')
    const chosen = page.locator('article:visible').first()
    await expect(chosen).toBeInViewport({ ratio: 0.1 })
    const area = page.locator('nav summary', { hasText: 'Administration: applications' })

    await area.press('Enter')

    await expect(page.locator('#post_api_admin_list_applications')).toBeVisible()
    await expect(page.locator('nav')).toHaveCSS('position', 'sticky')
    await assertAccessible(page)
  })

  test('has the colours that the browser has chosen, before its first paint', async ({ openPage }) => {
    const page = await openPage({ colorScheme: 'light' })
    await page.context().addCookies([{ name: 'theme', value: 'dark', url: 'http://localhost:5173' }])
    await page.goto('/api/docs')

    await expect(page.locator('html')).toHaveCSS('color-scheme', 'dark')
  })
})
