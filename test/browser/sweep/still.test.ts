import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { drawn, effectsRun } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { enterAs } from '../support/enter-as.ts'
import { movedByLast } from '../support/moving.ts'

describe('nothing that can be clicked moves when the last response arrives', () => {
  for (const [path, last] of [
    ['/settings/tokens', '/api/list_personal_tokens'],
    ['/settings/tokens', '/api/list_product_scopes'],
    ['/settings/security', '/api/auth/list-sessions'],
    ['/settings/security', '/api/list_grants'],
    ['/console', '/api/admin/list_webhooks'],
    ['/console/settings/brand', '/api/admin/list_letters'],
    ['/console/applications', '/api/admin/list_applications'],
    ['/console/applications', '/api/admin/list_product_scopes'],
    ['/console/webhooks?open=', '/api/admin/list_webhooks'],
    ['/console/webhooks?open=', '/api/admin/list_webhook_deliveries'],
  ] as const) {
    it(`on ${path}: ${last}`, async () => {
      await using service = await startService()
      const { administrator } = await people(service)
      const url = 'https://example.com/hook'
      const { body: webhook } = await administrator.post('/api/admin/create_webhook', { url })
      const { meta, now } = service.platform
      await meta.updateTable('webhook').set({ failing_since: now() }).execute()
      await using browser = await openBrowserSession(service)
      const page = await enterAs(browser, administrator, '/settings/data')
      await page.waitForURL('**/settings/data')
      await drawn(page)

      const moved = await movedByLast(page, path.endsWith('=') ? path + webhook.id : path, last)

      assert.deepEqual(moved, [])
    })
  }
})

describe('the next page of a list', () => {
  it('leaves the form below it on the page while it loads', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    for (let number = 1; number <= 21; number += 1)
      await administrator.post('/api/admin/create_application', {
        name: `Tower ${number}`,
        kind: 'browser',
        redirect_uris: ['https://app.example.com/back'],
      })
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/console/applications')
    const form = page.getByRole('button', { name: en.applications.declare })
    await form.waitFor()
    const released = Promise.withResolvers<void>()
    await page.route('**/api/admin/list_applications', async (route) => {
      await released.promise
      await route.continue()
    })

    const requested = page.waitForRequest('**/api/admin/list_applications')
    await page.getByRole('button', { name: en.common.next }).click()
    await requested
    await effectsRun(page)
    const whileLoading = await form.count()
    released.resolve()
    await page.getByRole('button', { name: 'Tower 1', exact: true }).waitFor()

    assert.equal(whileLoading, 1)
    assert.deepEqual(browser.complaints, [])
  })
})
