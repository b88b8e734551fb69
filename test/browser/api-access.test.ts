import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHttpServer } from '../processes/http-server.ts'
import { authorizationQuery, newVerifier, poll, redeem, refreshWith, startDevice } from '../service/grants.ts'
import { people, stranger } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { fillSignIn } from './acts.ts'
import { assertAccessible, openHouse } from './visit.ts'

describe('API access in the browser', () => {
  it('a device is approved after sign-in, by comparing the code, and revoked in the settings', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using house = await openHouse(service)
    const terminal = stranger(service)
    const { body: device } = await startDevice(terminal, 'account:profile:read', 'operations:feedback:write')
    const page = await house.enter()

    await page.goto(device.verification_uri_complete)
    await page.getByText('Sign in to approve the request').waitFor()
    await fillSignIn(page, ann.email, ann.password)
    await page.getByRole('heading', { name: 'is requesting access' }).waitFor()
    await page.getByText(device.user_code).waitFor()
    await page.getByText(house.origin, { exact: true }).waitFor()
    await page.getByText('See your profile').waitFor()
    const writing = page.getByRole('listitem').filter({ hasText: 'Send feedback in your name' })
    await writing.getByText('can change things').waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('You can go back to your terminal.').waitFor()
    const tokens = await poll(terminal, device.device_code)
    await page.goto('/settings/access')
    await page.getByText('See your profile').waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: /^Revoke access for/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No connected tools').waitFor()

    const after = await refreshWith(terminal, tokens.body.refresh_token)
    assert.equal(after.body.error, 'invalid_grant')
    assert.deepEqual(house.complaints, [])
  })

  it('without a code in the address the page asks for it; an unknown one is said in words', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using house = await openHouse(service)
    const terminal = stranger(service)
    const { body: device } = await startDevice(terminal, 'account:profile:read')
    const page = await house.enter()
    await page.goto('/oauth/authorize')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByLabel('Code from your terminal').fill('bcdf-ghjk')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('This code isn’t valid.').waitFor()
    await assertAccessible(page)
    await page.getByLabel('Code from your terminal').fill(device.user_code.toLowerCase().replace('-', ''))
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(device.user_code).waitFor()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Denied' }).waitFor()

    assert.equal((await poll(terminal, device.device_code)).body.error, 'access_denied')
  })

  it('the redirect flow hands the code to the loopback address', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using house = await openHouse(service)
    const loopback = await startHttpServer(() => ({ body: {} }))
    const redirect_uri = `${loopback.url}/callback`
    const verifier = newVerifier()
    const query = authorizationQuery(['account:profile:read'], verifier)
    const page = await house.enter()

    await page.goto(`/oauth/authorize?${new URLSearchParams({ ...query, redirect_uri })}`)
    await fillSignIn(page, ann.email, ann.password)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL(`${redirect_uri}?**`)

    const answer = new URL(page.url()).searchParams
    assert.equal(answer.get('state'), query.state)
    assert.equal(answer.get('iss'), house.origin)
    const tokens = await redeem(stranger(service), answer.get('code') ?? '', verifier, { redirect_uri })
    assert.equal(tokens.body.token_type, 'Bearer')
    await loopback.stop()
  })

  it('what only the administrator may allow is refused in words, and a page in a frame stays empty', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using house = await openHouse(service)
    const terminal = stranger(service)
    const { body: device } = await startDevice(terminal, 'config:ai:write')
    const page = await house.enter()
    await page.goto(device.verification_uri_complete)
    await fillSignIn(page, ann.email, ann.password)

    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Only the administrator can approve these permissions.').waitFor()

    const answer = await service.request('/oauth/consent')
    assert.match(answer.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  })
})
