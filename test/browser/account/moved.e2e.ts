import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { zh } from '../../../web/src/texts/zh.ts'
import { assertAccessible } from '../support/accessible.ts'
import { test } from '../support/test.ts'

const catalogues = { 'en-US': en, 'zh-CN': zh }

test.describe('the settings of an account', () => {
  for (const [locale, { nav, settings }] of Object.entries(catalogues)) {
    test(`are five without organisations, and each address of before leads to its part (${locale})`, async ({
      enterAs,
      ann,
    }) => {
      const page = await enterAs(ann, '/settings', { locale })
      await expect(page.getByRole('navigation', { name: nav.settings }).getByRole('link')).toHaveText([
        settings.profile,
        settings.security,
        settings.apps,
        nav.notifications,
        settings.data,
      ])
      const parts = {
        password: ['/settings/security#password', settings.password],
        accounts: ['/settings/security#accounts', settings.accounts],
        sessions: ['/settings/security#sessions', settings.sessions],
        tokens: ['/settings/access#tokens', settings.tokens],
      } as const
      for (const [part, [address, heading]] of Object.entries(parts)) {
        await page.goto(`/settings/${part}?from=a-letter`)
        await expect(page.getByRole('heading', { name: heading, exact: true })).toBeFocused()
        await expect(page.getByRole('heading', { name: heading, exact: true })).toBeInViewport()
        await expect(page).toHaveURL(address.replace('#', '?from=a-letter#'))
      }
      await assertAccessible(page)
    })
  }

  test('are reached from the bell of a phone’s header, which says how much is unread', async ({
    administrator,
    enterAs,
    ann,
  }) => {
    await administrator.post('/api/admin/create_notification', { title: 'News', content: 'One' })
    const page = await enterAs(ann, '/settings', { viewport: { width: 320, height: 700 } })

    await page
      .getByRole('banner')
      .getByRole('link', { name: `${en.nav.notifications}, ${en.nav.unread(1)}` })
      .click()

    await expect(page.getByRole('heading', { name: en.nav.notifications, exact: true })).toBeVisible()
  })
})
