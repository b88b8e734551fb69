import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { enableProvider, linkVia } from '../../providers/journey.ts'
import { startOpenIdProvider } from '../../providers/openid-provider.ts'
import { people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { anyWords, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { enterAs } from '../support/enter-as.ts'

async function openWithProvider() {
  await using opening = new AsyncDisposableStack()
  const provider = await startOpenIdProvider()
  opening.defer(() => provider.stop())
  const service = opening.use(await startService({ env: { PROVIDER_A: provider.preset } }))
  provider.now = service.clock.now
  await enableProvider(service, 'provider_a')
  const browser = opening.use(await openBrowserSession(service))
  const opened = opening.move()
  const providerName = new URL(provider.url).host
  return { service, browser, providerName, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

describe('providers in the browser', () => {
  it('a user signs in through the provider and returns to the page they wanted', async () => {
    await using world = await openWithProvider()
    const page = await world.browser.openPage()

    await page.goto('/settings/accounts')
    await page.getByRole('button', { name: anyWords(en.signIn.with) }).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: anyWords(en.signIn.with) }).click()
    await page.getByText(en.accounts.lastOne).waitFor()

    assert.match(page.url(), /\/settings\/accounts$/)
    await page.getByRole('link', { name: en.settings.password }).click()
    await page.getByText(en.password.noneTitle).waitFor()
  })

  it('an address with an account is never taken over; the page says what to do instead', async () => {
    await using world = await openWithProvider()
    await stranger(world.service, 'ann@example.com').signUp()
    const page = await world.browser.openPage()

    await page.goto('/sign-in')
    await page.getByRole('button', { name: anyWords(en.signIn.with) }).click()
    await page.getByText(en.providerFailures.ACCOUNT_NOT_LINKED(world.providerName)).waitFor()
    await assertAccessible(page)
  })

  it('a provider is connected and disconnected in the settings', async () => {
    await using world = await openWithProvider()
    const { ben } = await people(world.service)
    const page = await world.browser.openPage()
    await page.goto('/settings/accounts')
    await fillSignIn(page, ben.email, ben.password)

    await page.getByRole('button', { name: en.accounts.connect, exact: true }).click()
    await page.getByRole('button', { name: en.accounts.disconnect }).click()
    await page.getByRole('dialog').getByRole('button', { name: en.accounts.disconnect }).click()
    await page.getByRole('button', { name: en.accounts.connect, exact: true }).waitFor()

    const { body } = await ben.get('/api/auth/list-accounts')
    assert.equal(body.length, 1)
  })

  it('the administrator reads the name of a user’s provider, not the name of its slot', async () => {
    await using world = await openWithProvider()
    const { administrator, ann } = await people(world.service)
    await linkVia(ann, 'provider_a')

    const page = await enterAs(world.browser, administrator, `/console/users/${ann.id}`)

    const ways = page.getByRole('definition').filter({ hasText: en.accounts.credential })
    await ways.filter({ hasText: world.providerName }).waitFor()
  })
})
