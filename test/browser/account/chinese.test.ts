import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { zh } from '../../../web/src/texts/zh.ts'
import { grantFor, startDevice } from '../../service/grants.ts'
import { people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'

describe('a user who reads Chinese', () => {
  it('reads the name of the command-line client, and where a session began, in Chinese', async () => {
    await using service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
    const { ann } = await people(service)
    const { body: device } = await startDevice(stranger(service), 'account:profile:read')
    await grantFor(ann, 'account:profile:read')
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage({ locale: 'zh-CN', extraHTTPHeaders: { 'cf-ipcontinent': 'EU' } })
    const name = zh.access.commandLineClient

    await page.goto(`/oauth/authorize?user_code=${device.user_code}`)
    await fillSignIn(page, ann.email, ann.password, zh)
    await page.getByRole('heading', { level: 1, name: zh.consent.title(name) }).waitFor()
    await page.getByRole('definition').getByText(name, { exact: true }).waitFor()
    await page.goto('/settings/access')
    await page.getByRole('table').getByText(name, { exact: true }).waitFor()
    await page.getByRole('button', { name: zh.access.revokeNamed(name) }).waitFor()
    await page.goto('/settings/sessions')
    await page.getByText(zh.sessions.places.Europe).waitFor()

    assert.deepEqual(browser.complaints, [])
  })
})
