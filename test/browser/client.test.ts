import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../../web/src/texts/en.ts'
import { listening } from '../processes/listening.ts'
import { hasTerminal, openRealTerminal } from '../processes/terminal/real-terminal.ts'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { anyWords, fillSignIn } from './support/acts.ts'
import { openBrowserSession } from './support/browser-session.ts'

const scopes = 'account:profile:read,operations:notifications:read'
const realClock = { platform: { now: () => Date.now() } }

describe('a person at a terminal and a browser', {
  skip: !hasTerminal && 'no `script` makes a terminal here',
}, () => {
  it('connects by comparing the code, sends requests, and says how to reconnect after the page has revoked it', async () => {
    await using service = await startService(realClock)
    await using server = await listening(service)
    await using browser = await openBrowserSession(service)
    await using terminal = await openRealTerminal()
    const { ann } = await people(service)
    const page = await browser.openPage()

    const connecting = terminal.start(['connect', 'prod', server.url, scopes])
    const [, code = ''] = await connecting.shows(/enter the code (\S+)/)
    await page.goto(await terminal.opened)
    await fillSignIn(page, ann.email, ann.password)
    await page.getByText(code).waitFor()
    await page.getByText(server.url, { exact: true }).waitFor()
    await page.getByRole('button', { name: en.consent.approve }).click()
    await page.getByText(en.consent.approvedText).waitFor()
    await connecting.shows(/Connected "prod" to http:\/\/127\.0\.0\.1:\d+ as ann@example\.com/)
    assert.equal(await connecting.ended(), 0)

    const listing = terminal.start(['request', 'prod', 'POST', '/api/list_notifications'])
    await listing.shows(/\{\r\n {2}"items": \[\],\r\n {2}"total": 0\r\n\}/)
    assert.equal(await listing.ended(), 0)

    await page.goto(`${server.url}/settings/access`)
    await page.getByRole('button', { name: anyWords(en.access.revokeNamed) }).click()
    await page.getByRole('dialog').getByRole('button', { name: en.access.revoke }).click()
    await page.getByText(en.access.emptyTitle).waitFor()
    const refused = terminal.start(['request', 'prod', 'POST', '/api/list_notifications'])
    await refused.shows(/run `gatehouse connect prod http/)
    assert.equal(await refused.ended(), 4)
  })

  it('connects over the loopback redirect', async () => {
    await using service = await startService(realClock)
    await using server = await listening(service)
    await using browser = await openBrowserSession(service)
    await using terminal = await openRealTerminal()
    const { ann } = await people(service)
    const page = await browser.openPage()

    const connecting = terminal.start(['connect', 'prod', server.url, scopes, '--loopback'])
    await page.goto(await terminal.opened)
    await fillSignIn(page, ann.email, ann.password)
    await page.getByRole('button', { name: en.consent.approve }).click()
    await page.getByText('Approved. You can close this page').waitFor()

    await connecting.shows(/Connected "prod"/)
    assert.equal(await connecting.ended(), 0)
  })

  it('gives up with Ctrl-C', async () => {
    await using service = await startService(realClock)
    await using server = await listening(service)
    await using terminal = await openRealTerminal()

    const connecting = terminal.start(['connect', 'prod', server.url, scopes])
    await connecting.shows(/Ctrl-C gives up/)
    connecting.type('\u0003')

    await connecting.shows(/gatehouse: cancelled/)
    assert.equal(await connecting.ended(), 130)
  })
})
