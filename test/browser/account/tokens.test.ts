import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { choose, effectsRun, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { sidewaysWidths } from '../support/every-page.ts'

const { access, tokens, scopes } = en

describe('access tokens in the settings', () => {
  it('are made with the permissions that were ticked, shown once, and revoked', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/settings/tokens')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByText(tokens.emptyTitle).waitFor()
    assert.equal(await page.getByLabel(scopes['config:brand:write']).count(), 0)

    await page.getByLabel(tokens.name).fill('The nightly report')
    await page.getByLabel(scopes['operations:notifications:read']).check()
    await page.getByRole('button', { name: tokens.create }).click()
    await page.getByText(tokens.shownOnce).waitFor()
    await assertAccessible(page)
    const token = await page.getByText(/^ghp_/).textContent()
    const allowed = await statusBy(token)
    await page.reload()
    const row = page
      .getByRole('table', { name: tokens.title })
      .getByRole('row')
      .filter({ hasText: 'nightly' })
    await row.getByText(scopes['operations:notifications:read']).waitFor()
    await row.getByRole('button', { name: tokens.revokeNamed('The nightly report') }).click()
    await page.getByRole('dialog').getByRole('button', { name: access.revoke }).click()
    await row.waitFor({ state: 'detached' })
    await choose(page, access.state, access.past)
    await row.getByText(access.revoked, { exact: true }).waitFor()

    assert.equal(allowed, 200)
    assert.equal(await statusBy(token), 401)
    assert.equal(await page.getByText(/^ghp_/).count(), 0)
    assert.deepEqual(browser.complaints, [])

    async function statusBy(bearer: string | null): Promise<number> {
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
      const call = { method: 'POST', headers, body: '{}' }
      return (await service.request('/api/list_notifications', call)).status
    }
  })

  it('can have the product’s own permissions, by their descriptions', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const declared = { scope: 'product:reports:read', description: 'Read your reports' }
    const long = { scope: 'product:bridges:read', description: 'drawbridge'.repeat(20) }
    await administrator.post('/api/admin/declare_product_scope', long)
    await administrator.post('/api/admin/declare_product_scope', declared)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/settings/tokens')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByLabel(tokens.name).fill('The nightly report')
    await page.getByLabel(declared.description).check()
    const pushedSideways = await sidewaysWidths(page)
    await page.getByRole('button', { name: tokens.create }).click()
    const token = await page.getByText(/^ghp_/).textContent()
    await page.getByRole('table').getByText(declared.description).waitFor()

    const headers = { authorization: `Bearer ${token}` }
    const passed = await service.request(`/api/verify?scope=${declared.scope}`, { headers })
    assert.equal(passed.status, 200)
    assert.deepEqual(pushedSideways, [])
    assert.deepEqual(browser.complaints, [])
  })

  it('are shown where they were made, below a list of permissions that is longer than the page', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ viewport: { width: 1280, height: 720 } })
    await page.goto('/settings/tokens')
    await fillSignIn(page, administrator.email, administrator.password)

    for (const name of ['The nightly report', 'The weekly report']) {
      await page.getByLabel(tokens.name).fill(name)
      await page.getByLabel(scopes['config:brand:read']).check()
      await page.getByRole('button', { name: tokens.create }).click()
      await page.getByRole('table').getByText(name).waitFor()
      await page.getByText(/^ghp_/).waitFor()
      await effectsRun(page)

      const { y } = (await page.getByText(/^ghp_/).boundingBox()) ?? assert.fail('the token has no place')
      assert.ok(y > 0 && y < 700, `${name} is at ${y}`)
    }
    assert.deepEqual(browser.complaints, [])
  })
})
