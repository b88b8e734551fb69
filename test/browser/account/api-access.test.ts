import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { en } from '../../../web/src/texts/en.ts'
import { startHttpServer } from '../../processes/http-server.ts'
import {
  authorizationQuery,
  grantFor,
  newVerifier,
  poll,
  redeem,
  refreshWith,
  startDevice,
} from '../../service/grants.ts'
import { type Person, people, stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { assertAccessible } from '../support/accessible.ts'
import { anyWords, fillSignIn } from '../support/acts.ts'
import { openBrowserSession } from '../support/browser-session.ts'

/** As if this user had connected and revoked for years. */
async function endedGrants({ platform, clock }: Service, { id }: Person, count: number): Promise<void> {
  const [grant] = await platform.meta.selectFrom('api_grant').selectAll().where('user_id', '=', id).execute()
  assert.ok(grant)
  const revoked_at = clock.now()
  const ended = Array.from({ length: count }, () => ({
    ...grant,
    id: randomUUID(),
    created_at: revoked_at,
    revoked_at,
  }))
  await platform.meta.insertInto('api_grant').values(ended).execute()
}

describe('API access in the browser', () => {
  it('a device is approved after sign-in, by comparing the code, and revoked in the settings', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const terminal = stranger(service)
    const { body: device } = await startDevice(terminal, 'account:profile:read', 'operations:feedback:write')
    const page = await browser.openPage()

    await page.goto(device.verification_uri_complete)
    await page.getByText(en.signIn.forTerminal).waitFor()
    await fillSignIn(page, ann.email, ann.password)
    await page.getByRole('heading', { name: anyWords(en.consent.title) }).waitFor()
    await page.getByText(device.user_code).waitFor()
    await page.getByText(browser.origin, { exact: true }).waitFor()
    await page.getByText(en.scopes['account:profile:read']).waitFor()
    const writing = page.getByRole('list', { name: en.scopeTiers.changes })
    await writing.getByText(en.scopes['operations:feedback:write']).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: en.consent.approve }).click()
    await page.getByText(en.consent.approvedText).waitFor()
    const tokens = await poll(terminal, device.device_code)
    await page.goto('/settings/access')
    await page.getByText(en.scopes['account:profile:read']).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: anyWords(en.access.revokeNamed) }).click()
    await page.getByRole('dialog').getByRole('button', { name: en.access.revoke }).click()
    await page.getByText(en.access.emptyTitle).waitFor()

    const after = await refreshWith(terminal, tokens.body.refresh_token)
    assert.equal(after.body.error, 'invalid_grant')
    assert.deepEqual(browser.complaints, [])
  })

  it('an active connection can be found and revoked behind more than a page of ended ones', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await grantFor(ann, 'account:credits:read')
    service.clock.advance({ minutes: 1 })
    await endedGrants(service, ann, 101)
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()

    await page.goto('/sign-in?next=/settings/access')
    await fillSignIn(page, ann.email, ann.password)
    await page.getByText(en.scopes['account:credits:read']).waitFor()
    await page.getByRole('button', { name: anyWords(en.access.revokeNamed) }).click()
    await page.getByRole('dialog').getByRole('button', { name: en.access.revoke }).click()
    await page.getByText(en.access.emptyTitle).waitFor()

    const { body } = await ann.post('/api/list_grants', { page: 2, page_size: 100 })
    assert.deepEqual([body.total, body.items.at(-1).status], [102, 'revoked'])
  })

  it('two connections of one tool have buttons with different names, and permissions are read as words', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await grantFor(ann, 'account:credits:read')
    service.clock.advance({ hours: 1 })
    await grantFor(ann, 'account:profile:read')
    await using browser = await openBrowserSession(service)
    const page = await browser.openPage()
    await page.goto('/sign-in?next=/settings/access')
    await fillSignIn(page, ann.email, ann.password)

    const buttons = page.getByRole('button', { name: anyWords(en.access.revokeNamed) })
    await buttons.nth(1).waitFor()
    const names = await buttons.evaluateAll((shown) => shown.map((one) => one.getAttribute('aria-label')))
    await page.getByText(en.scopes['account:credits:read']).waitFor()
    await page.getByText(en.scopes['account:profile:read']).waitFor()
    const readAsCodes = await page.getByRole('listitem', { name: 'account:' }).count()

    assert.equal(new Set(names).size, 2)
    assert.equal(readAsCodes, 0)
    assert.deepEqual(browser.complaints, [])
  })

  it('without a code in the address the page asks for it; an unknown one is explained', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const terminal = stranger(service)
    const { body: device } = await startDevice(terminal, 'account:profile:read')
    const page = await browser.openPage()
    await page.goto('/oauth/authorize')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByLabel(en.authorize.code).fill('bcdf-ghjk')
    await page.getByRole('button', { name: en.authorize.submit }).click()
    await page.getByText(en.authorize.failures.NOT_FOUND).waitFor()
    await assertAccessible(page)
    await page.getByLabel(en.authorize.code).fill(device.user_code.toLowerCase().replace('-', ''))
    await page.getByRole('button', { name: en.authorize.submit }).click()
    await page.getByText(device.user_code).waitFor()
    await page.getByRole('button', { name: en.consent.deny }).click()
    await page.getByRole('heading', { name: en.consent.deniedTitle }).waitFor()

    assert.equal((await poll(terminal, device.device_code)).body.error, 'access_denied')
  })

  it('the redirect flow sends the code to the loopback address', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const loopback = await startHttpServer(() => ({ body: {} }))
    const redirect_uri = `${loopback.url}/callback`
    const verifier = newVerifier()
    const query = authorizationQuery(['account:profile:read'], verifier)
    const page = await browser.openPage()

    await page.goto(`/oauth/authorize?${new URLSearchParams({ ...query, redirect_uri })}`)
    await fillSignIn(page, ann.email, ann.password)
    await page.getByRole('button', { name: en.consent.approve }).click()
    await page.waitForURL(`${redirect_uri}?**`)

    const answer = new URL(page.url()).searchParams
    assert.equal(answer.get('state'), query.state)
    assert.equal(answer.get('iss'), browser.origin)
    const tokens = await redeem(stranger(service), answer.get('code') ?? '', verifier, { redirect_uri })
    assert.equal(tokens.body.token_type, 'Bearer')
    await loopback.stop()
  })

  it('what only the administrator can allow is refused with a message, and a page in a frame stays empty', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using browser = await openBrowserSession(service)
    const terminal = stranger(service)
    const { body: device } = await startDevice(terminal, 'config:ai:write')
    const page = await browser.openPage()
    await page.goto(device.verification_uri_complete)
    await fillSignIn(page, ann.email, ann.password)

    await page.getByText(en.consent.forbidden).waitFor()
    const dangerous = page.getByRole('list', { name: en.scopeTiers.hurts })
    await dangerous.getByText(en.scopes['config:ai:write']).waitFor()
    await assertAccessible(page)
    const offered = await page.getByRole('button', { name: en.consent.approve }).count()

    const answer = await service.request('/oauth/consent')
    assert.equal(offered, 0)
    assert.match(answer.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  })
})
