import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { openBrowserSession } from '../support/browser-session.ts'
import { enterAs } from '../support/enter-as.ts'

describe('an address without a page', () => {
  it('says so once, in the tab too, also below the settings', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await enterAs(browser, administrator, '/settings/nowhere')
    await page.getByRole('heading', { level: 1, name: en.missing.title }).waitFor()

    for (const path of ['/settings/nowhere', '/console/settings/nowhere', '/console/nowhere']) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1, name: en.missing.title }).waitFor()
      await page.waitForFunction(`document.title.startsWith(${JSON.stringify(en.missing.title)})`)
      assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, path)
    }
    await page.goto('/console/settings/email/')
    await page.getByRole('heading', { name: en.config.email }).waitFor()

    assert.deepEqual(browser.complaints, [])
  })
})
