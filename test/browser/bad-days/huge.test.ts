import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'

/** More than a browser keeps for one site. */
const huge = 'drawbridge'.repeat(600_000)

describe('a text of six million letters', () => {
  it('is too long to be kept, and stays on the page, which keeps working', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/console/applications')
    await fillSignIn(page, administrator.email, administrator.password)
    const words = page.getByLabel(en.applications.scopeWords)

    await words.fill(huge)
    await page.getByLabel(en.applications.scopeName).fill('product:bells:read')
    const { length } = await words.inputValue()
    await words.fill('hear the bells')
    await page.getByRole('button', { name: en.applications.declare }).click()
    await page.getByText('hear the bells', { exact: true }).waitFor()

    assert.equal(length, huge.length)
    assert.deepEqual(browser.complaints, [])
  })
})
