import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changeSettings } from '../change-settings.ts'
import { people } from '../people.ts'
import { startService } from '../service.ts'
import { fillSignIn } from './acts.ts'
import { assertAccessible, openHouse } from './visit.ts'

describe('the gate in the browser', () => {
  it('the beta gate asks for a code, refuses a wrong one in words, and leads on', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    await changeSettings(service, 'authentication', { beta_gate_enabled: true })
    const { body } = await administrator.post('/api/admin/generate_beta_codes', { count: 1 })
    await using house = await openHouse(service)
    const page = await house.enter()
    await page.goto('/notifications')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByLabel('Invitation code').fill('not-a-code')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('This code does not exist or is already used.').waitFor()
    await assertAccessible(page)
    await page.getByLabel('Invitation code').fill(body.codes[0])
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Notifications', exact: true }).waitFor()

    assert.match(page.url(), /\/notifications$/)
    assert.deepEqual(house.complaints, [])
  })
})
