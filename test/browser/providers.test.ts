import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { enableProvider } from '../providers/journey.ts'
import { startOpenIdProvider } from '../providers/openid-provider.ts'
import { people, stranger } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { fillSignIn } from './acts.ts'
import { assertAccessible, openHouse } from './visit.ts'

async function openWithProvider() {
  const provider = await startOpenIdProvider()
  const service = await startService({ env: { PROVIDER_A: provider.preset } })
  provider.now = service.clock.now
  await enableProvider(service, 'provider_a')
  const house = await openHouse(service)
  return {
    provider,
    service,
    house,
    async [Symbol.asyncDispose]() {
      await house[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
      await provider.stop()
    },
  }
}

describe('providers in the browser', () => {
  it('somebody comes in through the provider and back to the page that was asked for', async () => {
    await using world = await openWithProvider()
    const page = await world.house.enter()

    await page.goto('/settings/accounts')
    await page.getByRole('button', { name: /^Continue with/ }).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: /^Continue with/ }).click()
    await page.getByText('Your only sign-in method').waitFor()

    assert.match(page.url(), /\/settings\/accounts$/)
    await page.getByRole('link', { name: 'Password' }).click()
    await page.getByText('You don’t have a password').waitFor()
  })

  it('an address that has an account is never taken over; the page says what to do instead', async () => {
    await using world = await openWithProvider()
    await stranger(world.service, 'ann@example.com').signUp()
    const page = await world.house.enter()

    await page.goto('/sign-in')
    await page.getByRole('button', { name: /^Continue with/ }).click()
    await page.getByText('There is already an account for this email address.').waitFor()
    await assertAccessible(page)
  })

  it('a provider is connected and disconnected in the settings', async () => {
    await using world = await openWithProvider()
    const { ben } = await people(world.service)
    const page = await world.house.enter()
    await page.goto('/settings/accounts')
    await fillSignIn(page, ben.email, ben.password)

    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
    await page.getByRole('button', { name: 'Connect', exact: true }).waitFor()

    const { body } = await ben.get('/api/auth/list-accounts')
    assert.equal(body.length, 1)
  })
})
