import { expect } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'
import { listening } from '../../processes/listening.ts'
import { hasTerminal, openRealTerminal } from '../../processes/terminal/real-terminal.ts'
import { anyWords, fillSignIn } from '../support/acts.ts'
import { test } from '../support/test.ts'

const scopes = 'account:profile:read,operations:notifications:read'

test.use({ serviceOptions: { platform: { now: () => Date.now() } } })

test.describe('a person at a terminal and a browser (needs `script`, which makes terminals)', () => {
  test.skip(!hasTerminal)

  test('connects by comparing the code, sends requests, and says how to reconnect after the page has revoked it', async ({
    page,
    service,
    ann,
  }) => {
    await using server = await listening(service)
    await using terminal = await openRealTerminal()

    const connecting = terminal.start(['connect', 'prod', server.url, scopes])
    const [, code = ''] = await connecting.shows(/compare the code (\S+)/)
    await page.goto(await terminal.opened)
    await fillSignIn(page, ann.email, ann.password)
    await expect(page.getByText(code)).toBeVisible()
    await expect(page.getByText(server.url, { exact: true })).toBeVisible()
    await page.getByRole('button', { name: en.consent.approve }).click()
    await expect(page.getByText(en.consent.approvedText)).toBeVisible()
    await connecting.shows(/Connected "prod" to http:\/\/127\.0\.0\.1:\d+ as ann@example\.com/)
    expect(await connecting.ended()).toBe(0)

    const listing = terminal.start(['request', 'prod', 'POST', '/api/list_notifications'])
    await listing.shows(/\{\r\n {2}"items": \[\],\r\n {2}"total": 0\r\n\}/)
    expect(await listing.ended()).toBe(0)

    await page.goto(`${server.url}/settings/access`)
    await page.getByRole('button', { name: anyWords(en.access.revokeNamed) }).click()
    await page.getByRole('dialog').getByRole('button', { name: en.access.revoke }).click()
    await expect(page.getByText(en.access.emptyTitle)).toBeVisible()
    const refused = terminal.start(['request', 'prod', 'POST', '/api/list_notifications'])
    await refused.shows(/run `gatehouse connect prod http/)
    expect(await refused.ended()).toBe(4)
  })

  test('connects over the loopback redirect', async ({ page, service, ann }) => {
    await using server = await listening(service)
    await using terminal = await openRealTerminal()

    const connecting = terminal.start(['connect', 'prod', server.url, scopes, '--loopback'])
    await page.goto(await terminal.opened)
    await fillSignIn(page, ann.email, ann.password)
    await page.getByRole('button', { name: en.consent.approve }).click()
    await expect(page.getByText('Approved. You can close this page')).toBeVisible()

    await connecting.shows(/Connected "prod"/)
    expect(await connecting.ended()).toBe(0)
  })

  test('gives up with Ctrl-C', async ({ service }) => {
    await using server = await listening(service)
    await using terminal = await openRealTerminal()

    const connecting = terminal.start(['connect', 'prod', server.url, scopes])
    await connecting.shows(/Ctrl-C gives up/)
    connecting.type('\u0003')

    await connecting.shows(/gatehouse: cancelled/)
    expect(await connecting.ended()).toBe(130)
  })
})
