import { expect } from '@playwright/test'
import { documentWords } from '../../src/http/documents/document-words.ts'
import { en } from '../../web/src/texts/en.ts'
import { assertAccessible } from './support/accessible.ts'
import { test } from './support/test.ts'

test.describe('the documents', () => {
  test('are where the help of a page in the console leads, in a tab of their own', async ({
    enterAs,
    administrator,
  }) => {
    const page = await enterAs(administrator, '/console/webhooks')
    const opened = page.context().waitForEvent('page')

    await page.getByRole('link', { name: en.nav.help }).click()

    const help = await opened
    await expect(help).toHaveURL(/\/docs\/console#webhooks$/)
    await expect(help.locator('#webhooks')).toBeInViewport()
    await expect(page).toHaveURL('/console/webhooks')
  })

  test('are read, searched and followed without a script', async ({ openPage }) => {
    const page = await openPage({ javaScriptEnabled: false })
    await page.goto('/docs/operations')
    await page.getByLabel(documentWords.search).fill('stolen passwords')
    await page.getByRole('button', { name: documentWords.find }).click()
    await page.getByRole('main').getByRole('link', { name: 'Stolen passwords' }).click()

    await expect(page).toHaveURL('/docs/operations#stolen-passwords')
    await expect(page.getByRole('heading', { name: 'Stolen passwords' })).toBeInViewport()
  })

  for (const path of ['/docs', '/docs/operations', '/docs?q=password'])
    for (const colorScheme of ['light', 'dark'] as const)
      test(`are for everybody, and fit a phone: ${path}, ${colorScheme}`, async ({ openPage }) => {
        const page = await openPage({ colorScheme, viewport: { width: 320, height: 720 } })
        await page.goto(path)

        await assertAccessible(page)
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect(overflow).toBe(0)
      })
})
