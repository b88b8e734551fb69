import assert from 'node:assert/strict'
import { expect, type Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { bearer } from '../../service/applications.ts'
import { join, organizationOf } from '../../service/organizations.ts'
import { stranger } from '../../service/people.ts'
import { assertAccessible } from '../support/accessible.ts'
import { choose, effectsRun } from '../support/acts.ts'
import { sidewaysWidths } from '../support/every-page.ts'
import { test } from '../support/test.ts'

const { access, tokens, scopes, common, settings } = en

const begin = (page: Page) => page.getByRole('button', { name: tokens.add }).click()

async function make(page: Page, name: string, permission: string): Promise<void> {
  await page.getByLabel(tokens.name).fill(name)
  await page.getByLabel(permission).check()
  await page.getByRole('button', { name: tokens.create }).click()
}

const shown = (page: Page) => page.getByText(/^ghp_/)

test.describe('access tokens in the settings', () => {
  test('have the permissions ticked, are shown once, and are revoked', async ({ enterAs, service, ann }) => {
    const page = await enterAs(ann, '/settings/tokens')
    await expect(page.getByText(tokens.emptyTitle)).toBeVisible()
    await begin(page)
    await expect(page.getByLabel(tokens.name)).toBeFocused()
    await expect(page.getByLabel(scopes['config:brand:write'])).toHaveCount(0)

    await make(page, 'The nightly report', scopes['operations:notifications:read'])
    await expect(page.getByText(tokens.shownOnce)).toBeVisible()
    await assertAccessible(page)
    const headers = bearer((await shown(page).textContent()) ?? '')
    const program = stranger(service)
    const statuses = async () => [
      (await program.get('/api/verify', headers)).status,
      (await program.post('/api/list_notifications', {}, headers)).status,
    ]
    assert.deepEqual(await statuses(), [200, 200])
    await page.reload()
    const row = page.getByRole('table', { name: settings.tokens }).getByRole('row', { name: 'nightly' })
    await expect(row.getByText(scopes['operations:notifications:read'])).toBeVisible()
    await row.getByRole('button', { name: tokens.revokeNamed('The nightly report') }).click()
    await page.getByRole('dialog').getByRole('button', { name: access.revoke }).click()
    await expect(page.getByText(tokens.revoked)).toBeVisible()
    await expect(row).toHaveCount(0)
    await choose(page.locator('#tokens'), common.show, access.past)
    await expect(row.getByText(access.revoked, { exact: true })).toBeVisible()

    assert.deepEqual(await statuses(), [401, 401])
    await expect(shown(page)).toHaveCount(0)
  })

  test('act in the chosen organisation; suspended ones are not offered', async ({
    enterAs,
    service,
    administrator,
    ann,
  }) => {
    const [rowers, closed] = [
      await organizationOf(administrator),
      await organizationOf(administrator, { name: 'Closed' }),
    ]
    for (const one of [rowers, closed]) await join(service, one, ann)
    await administrator.post('/api/admin/suspend_organization', { id: closed.id, reason: 'Unpaid' })
    const page = await enterAs(ann, '/settings/tokens')
    const { actsIn, noOrganization } = en.consent
    await begin(page)
    await expect(page.getByLabel(actsIn)).toHaveText(`${noOrganization}Rowers`)
    await page.getByLabel(actsIn).selectOption('Rowers')
    await assertAccessible(page)
    await make(page, 'The nightly report', scopes['operations:notifications:read'])
    const headers = bearer((await shown(page).textContent()) ?? '')

    assert.equal((await stranger(service).get('/api/verify', headers)).headers.get('x-org-id'), rowers.id)
  })

  test('can have the product’s own permissions', async ({ enterAs, service, administrator, ann }) => {
    const declared = { scope: 'product:reports:read', description: 'Read your reports' }
    const long = { scope: 'product:bridges:read', description: 'drawbridge'.repeat(20) }
    for (const scope of [long, declared]) await administrator.post('/api/admin/declare_product_scope', scope)
    const page = await enterAs(ann, '/settings/tokens')

    await begin(page)
    await expect(page.getByLabel(declared.description)).toBeVisible()
    assert.deepEqual(await sidewaysWidths(page), [])
    await make(page, 'The nightly report', declared.description)
    const headers = bearer((await shown(page).textContent()) ?? '')
    await expect(page.getByRole('table').getByText(declared.description)).toBeVisible()

    assert.equal((await stranger(service).get(`/api/verify?scope=${declared.scope}`, headers)).status, 200)
  })

  test('are shown where they were made, below a long list', async ({ openConsole }) => {
    const page = await openConsole('/settings/tokens', { viewport: { width: 1280, height: 720 } })

    await begin(page)
    for (const name of ['The nightly report', 'The weekly report']) {
      await make(page, name, scopes['config:brand:read'])
      await expect(page.getByRole('table').getByText(name)).toBeVisible()
      await expect(shown(page)).toBeVisible()
      await effectsRun(page)

      const { y } = (await shown(page).boundingBox()) ?? assert.fail('the token has no place')
      assert.ok(y > 0 && y < 700, `${name} is at ${y}`)
    }
  })
})
