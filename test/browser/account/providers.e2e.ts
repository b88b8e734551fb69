import assert from 'node:assert/strict'
import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { enableProvider, linkVia } from '../../providers/journey.ts'
import { startOpenIdProvider } from '../../providers/openid-provider.ts'
import { stranger } from '../../service/people.ts'
import { assertAccessible } from '../support/accessible.ts'
import { anyWords } from '../support/acts.ts'
import { test as base } from '../support/test.ts'

interface Fixtures {
  readonly provider: Awaited<ReturnType<typeof startOpenIdProvider>>
  readonly providerName: string
}

const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures a fixture needs from its parameter.
  provider: async ({}, use) => {
    const provider = await startOpenIdProvider()
    await use(provider)
    await provider.stop()
  },
  serviceOptions: async ({ provider }, use) => use({ env: { PROVIDER_A: provider.preset } }),
  providerName: [
    async ({ provider, service }, use) => {
      provider.now = service.clock.now
      await enableProvider(service, 'provider_a')
      await use(new URL(provider.url).host)
    },
    { auto: true },
  ],
})

test.describe('providers in the browser', () => {
  test('a user signs in through the provider and returns to the page they wanted', async ({ page }) => {
    await page.goto('/settings/accounts')
    await expect(page.getByRole('button', { name: anyWords(en.signIn.with) })).toBeVisible()
    await assertAccessible(page)
    await page.getByRole('button', { name: anyWords(en.signIn.with) }).click()
    await expect(page.getByText(en.accounts.lastOne)).toBeVisible()

    await expect(page).toHaveURL('/settings/security#accounts')
    await expect(page.getByText(en.password.noneTitle)).toBeVisible()
  })

  test('an address with an account is never taken over', async ({ page, service, providerName }) => {
    await stranger(service, 'ann@example.com').signUp()

    await page.goto('/sign-in')
    await page.getByRole('button', { name: anyWords(en.signIn.with) }).click()

    await expect(page.getByText(en.providerFailures.ACCOUNT_NOT_LINKED(providerName))).toBeVisible()
    await assertAccessible(page)
  })

  test('a provider is connected and disconnected in the settings', async ({ enterAs, ben }) => {
    const page = await enterAs(ben, '/settings/accounts')

    await page.getByRole('button', { name: en.accounts.connect, exact: true }).click()
    await page.getByRole('button', { name: en.accounts.disconnect }).click()
    await page.getByRole('dialog').getByRole('button', { name: en.accounts.disconnect }).click()
    await expect(page.getByRole('button', { name: en.accounts.connect, exact: true })).toBeVisible()

    assert.equal((await ben.get('/api/auth/list-accounts')).body.length, 1)
  })

  test('the administrator reads the provider’s name', async ({ openConsole, ann, providerName }) => {
    await linkVia(ann, 'provider_a')

    const page = await openConsole(`/console/users/${ann.id}`)

    const ways = page.getByRole('definition').filter({ hasText: en.accounts.credential })
    await expect(ways.filter({ hasText: providerName })).toBeVisible()
  })
})
