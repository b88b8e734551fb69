import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { drawn, effectsRun } from '../support/acts.ts'
import { hold } from '../support/live.ts'
import { movedByLast } from '../support/moving.ts'
import { test } from '../support/test.ts'

test.describe('nothing that can be clicked moves when the last response arrives', () => {
  for (const [path, last] of [
    ['/settings/access', '/api/list_personal_tokens'],
    ['/settings/access', '/api/list_product_scopes'],
    ['/settings/security', '/api/auth/list-sessions'],
    ['/settings/access', '/api/list_grants'],
    ['/console', '/api/admin/list_webhooks'],
    ['/console/settings/brand', '/api/admin/get_brand_config'],
    ['/console/applications', '/api/admin/list_applications'],
    ['/console/applications', '/api/admin/list_product_scopes'],
    ['/console/webhooks/', '/api/admin/list_webhooks'],
    ['/console/webhooks/', '/api/admin/list_webhook_deliveries'],
  ] as const) {
    test(`on ${path}: ${last}`, async ({ enterAs, service, administrator }) => {
      const url = 'https://example.com/hook'
      const { body: webhook } = await administrator.post('/api/admin/create_webhook', { url })
      const { meta, now } = service.platform
      await meta.updateTable('webhook').set({ failing_since: now() }).execute()
      const page = await enterAs(administrator, '/settings/data')
      await expect(page).toHaveURL('/settings/data')
      await drawn(page)

      expect(await movedByLast(page, path.endsWith('/') ? path + webhook.id : path, last)).toEqual([])
    })
  }
})

test.describe('the next page of a list', () => {
  test('leaves the form below it on the page while it loads', async ({ openConsole, administrator }) => {
    for (let number = 1; number <= 21; number += 1)
      await administrator.post('/api/admin/create_application', {
        name: `Tower ${number}`,
        kind: 'browser',
        redirect_uris: ['https://app.example.com/back'],
      })
    const page = await openConsole('/console/applications')
    const form = page.getByRole('button', { name: en.applications.declare })
    await expect(form).toBeVisible()
    const release = await hold(page, '/api/admin/list_applications')

    const requested = page.waitForRequest('**/api/admin/list_applications')
    await page.getByRole('button', { name: en.common.next }).click()
    await requested
    await effectsRun(page)
    await expect(form).toHaveCount(1)
    release()
    await expect(page.getByRole('link', { name: 'Tower 1', exact: true })).toBeVisible()
  })
})
